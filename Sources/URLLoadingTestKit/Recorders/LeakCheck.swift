#if TestKit
  import LoadingModel

  /// Finds objects that still exist when they should have been released.
  ///
  ///     let leaks = LeakCheck()
  ///     do {
  ///       let session = makeSession()
  ///       leaks.track(session, "session")
  ///       …
  ///       session.finishTasksAndInvalidate()
  ///     }
  ///     try await leaks.verify()
  public final class LeakCheck: Sendable {
    /// The error of `verify(yields:waits:)`: tracked objects are still alive.
    public struct Leak: Error, Sendable, CustomStringConvertible {
      /// The names of the objects that are alive, as given to `track`, in the order of those calls.
      public let names: [String]

      /// A message with the names of the objects.
      public var description: String { "Still alive: \(names.joined(separator: ", ")). Something keeps a strong reference to it." }
    }

    private struct Tracked: @unchecked Sendable {
      // @unchecked: the object is never called: a weak reference, which is thread-safe, only says whether it still exists.
      weak var object: AnyObject?
      let name: String
    }

    private let tracked = Mutex<[Tracked]>([])

    /// A check that tracks no objects yet.
    public init() {}

    /// Tracks `object` by a weak reference. A failure reports it as `name`; by default as its type.
    public func track(_ object: AnyObject, _ name: String? = nil) {
      let entry = Tracked(object: object, name: name ?? String(describing: type(of: object)))
      tracked.withLock { $0.append(entry) }
    }

    /// The names of the tracked objects that are alive at the moment.
    public var alive: [String] { tracked.withLock { $0.filter { $0.object != nil }.map(\.name) } }

    /// Returns once every tracked object has been released; throws `Leak` if some are still alive at the end.
    ///
    /// Other threads may be about to release them, so it yields up to `yields` times, then sleeps up to `waits` times for a millisecond.
    public func verify(yields: Int = 100, waits: Int = 60_000) async throws {
      for _ in 0..<max(0, yields) {
        if alive.isEmpty { return }
        await Task.yield()
      }
      for _ in 0..<max(0, waits) {
        if alive.isEmpty { return }
        try await Task.sleep(for: .milliseconds(1))
      }
      let names = alive
      if !names.isEmpty { throw Leak(names: names) }
    }
  }
#endif
