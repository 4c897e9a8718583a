/// The changes that an object has noted under its lock, for the same thread to tell once it has released the lock.
struct NotedChanges<Values: Sendable>: Sendable {
  private var entries: [(observer: PropertyObserver<Values>, number: Int)] = []

  init() {}

  mutating func add(_ observer: PropertyObserver<Values>, _ number: Int) { entries.append((observer, number)) }

  /// - Parameter loop: The event loop that tells changes which other threads add meanwhile; nil: this thread tells them too.
  func tell(_ loop: @autoclosure () -> EventLoopTelling? = nil) {
    guard !entries.isEmpty else { return }
    let loop = loop()
    for (observer, number) in entries { observer.tell(through: number, rest: loop) }
  }
}
