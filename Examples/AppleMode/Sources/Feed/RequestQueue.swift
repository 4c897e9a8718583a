import Foundation

/// Work on a queue of its own, waited for.
final class RequestQueue {
  private let queue = DispatchQueue(label: "org.example.feed.requests")
  private let order = Protected<[Int]>([])

  func perform(_ count: Int) -> [Int] {
    for number in 0..<count {
      let item = DispatchWorkItem { self.order.write { $0.append(number) } }
      queue.asyncAndWait(execute: item)
    }
    return queue.asyncAndWait { order.read { $0 } }
  }

  func fail() throws {
    try queue.asyncAndWait(flags: .barrier) { throw URLError(.cancelled) }
  }
}
