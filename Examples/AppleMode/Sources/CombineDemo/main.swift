import Combine
import Foundation

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: CombineDemo BASE-URL")
  exit(64)
}

let done = DispatchSemaphore(value: 0)
var count = 0
let subscription = URLSession.shared.dataTaskPublisher(for: base.appendingPathComponent("bytes/321"))
  .map(\.data.count)
  .retry(1)
  .replaceError(with: -1)
  .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { count = $0 })
done.wait()
subscription.cancel()
print(count == 321 ? "passed: a publisher loads" : "FAILED: \(count) bytes instead of 321")
exit(count == 321 ? 0 : 1)
