#if TestKit
  import Foundation
  import URLLoadingSystem

  extension LeakCheck {
    /// What loading still held when it should have been released.
    public struct Held: Error, Sendable, CustomStringConvertible {
      /// Sessions, tasks, answers, bodies and observations, leaked ones first.
      public let objects: [URLSession.HeldObject]

      /// Describes each of them: what holds it, what to do, and where it was made.
      public var description: String {
        let text = objects.map { "\($0.isLeaked ? "leaked" : "held"): \($0)" }.joined(separator: "\n")
        return "Loading holds \(objects.count) \(objects.count == 1 ? "object" : "objects") that the code has left behind.\n\(text)"
      }
    }

    /// Runs `body`, and checks that none of its sessions with a delegate is left without having been invalidated, no task without having
    /// been resumed, no answer of a delegate, no body and no observation.
    ///
    ///     try await LeakCheck.loading {
    ///       let session = URLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
    ///       defer { session.finishTasksAndInvalidate() }
    ///       …
    ///     }
    ///
    /// It looks at the sessions that are made by the Swift task of `body` and the tasks within: those of other tests that run at the same
    /// time don't count, nor does what is made on a queue or thread of its own.
    /// - Parameter patience: How long what is about to be released may take.
    /// - Throws: `Held`; or what `body` throws, without a check.
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
