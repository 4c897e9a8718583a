/// Changes that an object has noted under its lock, to be told by the same thread once the lock is released.
struct NotedChanges<Values: Sendable>: Sendable {
  private var entries: [(observer: PropertyObserver<Values>, number: Int)] = []

  init() {}

  mutating func add(_ observer: PropertyObserver<Values>, _ number: Int) { entries.append((observer, number)) }

  /// - Parameter engine: Whose event loop tells what other threads add meanwhile.
  func tell(_ loop: @autoclosure () -> EventLoopTelling? = nil) {
    guard !entries.isEmpty else { return }
    let loop = loop()
    for (observer, number) in entries { observer.tell(through: number, rest: loop) }
  }
}
