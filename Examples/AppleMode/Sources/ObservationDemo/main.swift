import Foundation

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: ObservationDemo BASE-URL")
  exit(64)
}

final class Seen: @unchecked Sendable {
  private let lock = NSLock()
  private var states: [Int] = []

  func note(_ state: URLSessionTask.State) {
    lock.lock()
    states.append(state.rawValue)
    lock.unlock()
  }

  var all: [Int] {
    lock.lock()
    defer { lock.unlock() }
    return states
  }
}

let seen = Seen()
let done = DispatchSemaphore(value: 0)
let task = URLSession.shared.dataTask(with: base.appendingPathComponent("bytes/321")) { _, _, _ in }
let observation = task.observe(\.state, options: [.initial, .new]) { task, _ in
  seen.note(task.state)
  if task.state == .completed { done.signal() }
}
task.resume()
done.wait()
observation.invalidate()
let expected = [URLSessionTask.State.suspended, .running, .completed].map { $0.rawValue }
print(seen.all == expected ? "passed: states of a task are observed" : "FAILED: observed \(seen.all) instead of \(expected)")
exit(seen.all == expected ? 0 : 1)
