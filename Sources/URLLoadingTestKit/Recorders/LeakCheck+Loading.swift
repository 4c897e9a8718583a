#if TestKit
  import Foundation
  import URLLoadingSystem

  extension LeakCheck {
    /// The error of `loading(patience:_:)`: objects of the URL loading system that should have been released still exist.
    public struct Held: Error, Sendable, CustomStringConvertible {
      /// The sessions, tasks, unanswered completion handlers, bodies and observations that are still held; leaked ones first.
      public let objects: [URLSession.HeldObject]

      /// A line for each object: what holds it, what to do about it, and where it was made.
      public var description: String {
        let text = objects.map { "\($0.isLeaked ? "leaked" : "held"): \($0)" }.joined(separator: "\n")
        return "Loading holds \(objects.count) \(objects.count == 1 ? "object" : "objects") that the code has left behind.\n\(text)"
      }
    }

    /// Runs `body`, and checks that none of its objects is left behind: no session with a delegate that wasn't invalidated, no task that wasn't
    /// resumed, no completion handler of a delegate that wasn't called, no unread body and no observation.
    ///
    ///     try await LeakCheck.loading {
    ///       let session = URLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
    ///       defer { session.finishTasksAndInvalidate() }
    ///       …
    ///     }
    ///
    /// The check covers sessions that the Swift task of `body` and its child tasks create. Sessions of other tests that run at the same time don't
    /// count, nor do sessions created on queues or threads of their own.
    /// - Parameter patience: How long the check waits for objects to be released.
    /// - Throws: `Held`; or the error of `body`, without a check.
    public static func loading<Result>(
      patience: Duration = .seconds(5), _ body: () async throws -> Result
    ) async throws -> Result {
      let scope = HeldScope()
      return try await scope.record {
        let result = try await body()
        let end = ContinuousClock.now + patience
        var held = scope.heldObjects
        while !held.isEmpty, ContinuousClock.now < end {
          try await Task.sleep(for: .milliseconds(5))
          held = scope.heldObjects
        }
        guard held.isEmpty else { throw Held(objects: held) }
        return result
      }
    }
  }
#endif
