#if TestKit
  import LoadingModel

  /// Finds objects that outlive what they were made for.
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
    /// Objects were still alive when they should have been released.
    public struct Leak: Error, Sendable, CustomStringConvertible {
      /// The names given to `track`, in that order.
      public let names: [String]

      /// Names them.
      public var description: String { "Still alive: \(names.joined(separator: ", ")). Something keeps a strong reference to it." }
    }

    private struct Tracked: @unchecked Sendable {
      // @unchecked: the object is never called: a weak reference, which is thread-safe, only says whether it still exists.
      weak var object: AnyObject?
      let name: String
    }

    private let tracked = Mutex<[Tracked]>([])

    /// A check without objects.
    public init() {}

    /// Watches `object` without keeping it. `name` is what a failure calls it; by default its type.
    public func track(_ object: AnyObject, _ name: String? = nil) {
      let entry = Tracked(object: object, name: name ?? String(describing: type(of: object)))
      tracked.withLock { $0.append(entry) }
    }

    /// The names of the objects that are alive at the moment.
    public var alive: [String] { tracked.withLock { $0.filter { $0.object != nil }.map(\.name) } }

    /// Returns once every tracked object is released; throws `Leak` if some are still alive after a while.
    ///
    /// Other threads may be about to release them, so it yields `yields` times and then waits a millisecond at a time, `waits` times at most.
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
