import Combine
import Foundation

// As code for Apple's platforms has it: two imports and no condition. Everything below has to be there in a fresh build folder and in one where
// OpenCombine has been compiled again.

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: CombineApp BASE-URL")
  exit(64)
}

var failures = 0
func check(_ name: String, _ isRight: Bool) {
  print(isRight ? "passed: \(name)" : "FAILED: \(name)")
  if !isRight { failures += 1 }
}

/// Waits for a publisher to end.
func values<P: Publisher>(of publisher: P) -> Result<[P.Output], P.Failure> {
  let done = DispatchSemaphore(value: 0)
  var values: [P.Output] = []
  var outcome: Result<[P.Output], P.Failure> = .success([])
  let handle = publisher.sink { completion in
    switch completion {
    case .finished: outcome = .success(values)
    case .failure(let error): outcome = .failure(error)
    }
    done.signal()
  } receiveValue: {
    values.append($0)
  }
  done.wait()
  handle.cancel()
  return outcome
}

final class Model: ObservableObject {
  @Published var count = 0
}

let session = URLSession.shared
let lengths = [1, 20, 300].map { count -> AnyPublisher<Int, URLError> in
  session.dataTaskPublisher(for: base.appendingPathComponent("bytes/\(count)"))
    .map(\.data.count)
    .receive(on: DispatchQueue.global())
    .eraseToAnyPublisher()
}

let queue = OperationQueue()
check("a load is published on a queue", (try? values(of: lengths[1].receive(on: queue)).get()) == [20])
check(
  "three loads are zipped",
  (1...20).allSatisfy { _ in (try? values(of: lengths[0].zip(lengths[1], lengths[2]) { $0 + $1 + $2 }).get()) == [321] })
check("loads are merged", (try? values(of: Publishers.MergeMany(lengths)).get().sorted()) == [1, 20, 300])
check("results have publishers", (try? values(of: Result<Int, URLError>.success(1).publisher).get()) == [1])
check("optionals have publishers", values(of: Optional(1).publisher).get() == [1])

let model = Model()
var changes = 0
let observing = model.objectWillChange.sink { changes += 1 }
let counts = model.$count.sink { _ in }
model.count = 1
check("objects tell that they change", changes == 1)
observing.cancel()
counts.cancel()

let decoded = Just(Data("[1, 2]".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).replaceError(with: [])
check("a decoder is a top-level decoder", values(of: decoded).get() == [[1, 2]])

print("\(7 - failures) passed, \(failures) failed")
exit(failures == 0 ? 0 : 1)
