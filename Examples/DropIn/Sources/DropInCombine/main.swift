import Foundation
import OpenCombine
import OpenCombineFoundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: DropInCombine BASE-URL")
  exit(64)
}

/// Waits for a publisher to end.
func values<P: Publisher>(of publisher: P) -> Result<[P.Output], P.Failure> {
  let done = DispatchSemaphore(value: 0)
  var values: [P.Output] = []
  var outcome: Result<[P.Output], P.Failure> = .success([])
  let subscription = publisher.sink(
    receiveCompletion: { completion in
      switch completion {
      case .finished: outcome = .success(values)
      case .failure(let error): outcome = .failure(error)
      }
      done.signal()
    }, receiveValue: { values.append($0) })
  done.wait()
  subscription.cancel()
  return outcome
}

var failures = 0
func check(_ name: String, _ isRight: Bool) {
  print(isRight ? "passed: \(name)" : "FAILED: \(name)")
  if !isRight { failures += 1 }
}

// The extension that OpenCombineFoundation declares must be one of our class.
check(
  "OpenCombine extends URLLoadingSystem.URLSession",
  String(reflecting: URLSession.OCombine.DataTaskPublisher.self).contains("URLLoadingSystem.URLSession"))

let lengths = URLSession.shared.ocombine.dataTaskPublisher(for: base.appendingPathComponent("bytes/321"))
  .tryMap { output -> Int in
    guard (output.response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    return output.data.count
  }
check("dataTaskPublisher publishes data and response", (try? values(of: lengths).get()) == [321])

let refused = URLSession.shared.ocombine.dataTaskPublisher(for: URL(string: "http://127.0.0.1:1/")!)
switch values(of: refused) {
case .failure(let error): check("dataTaskPublisher fails with a URLError", error.code == .cannotConnectToHost)
case .success: check("dataTaskPublisher fails with a URLError", false)
}

print("\(3 - failures) passed, \(failures) failed")
exit(failures == 0 ? 0 : 1)
