#if ServiceLifecycle
  public import ServiceLifecycle
  import LoadingModel

  /// A session as a service of swift-service-lifecycle: when its group shuts down gracefully, the session takes no new tasks, and the group waits
  /// until the running ones have ended. An addition to Apple's API, with the package trait `ServiceLifecycle`.
  ///
  /// ```swift
  /// let group = ServiceGroup(services: [server, URLSessionService(session)], gracefulShutdownSignals: [.sigterm], logger: logger)
  /// try await group.run()
  /// ```
  ///
  /// Services are shut down in reverse order: list the session before the services that use it, so that they can still use it while they shut down.
  public struct URLSessionService: Service {
    /// The session. It is invalid when `run()` has returned.
    public let session: URLSession
    /// How long tasks may go on after the shutdown has begun; then they are cancelled.
    public let timeLimit: Duration

    /// Makes a service for `session`.
    /// - Parameters:
    ///   - session: Any session except `URLSession.shared`, which can't be invalidated.
    ///   - timeLimit: How long tasks may go on after the shutdown has begun; then they are cancelled. Default: 30 seconds.
    public init(_ session: URLSession, timeLimit: Duration = .seconds(30)) {
      self.session = session
      self.timeLimit = timeLimit
    }

    /// Waits for the group's graceful shutdown, and then until the session's last task has ended and its delegate has been told.
    ///
    /// Also returns when the session has been invalidated elsewhere. If the Swift task is cancelled, the session's tasks are cancelled too.
    /// - Throws: `URLSessionServiceError` for the shared session.
    public func run() async throws {
      guard session !== URLSession.shared else { throw URLSessionServiceError.sharedSession }
      let limit = Mutex<PlannedWake?>(nil)
      await withTaskCancellationHandler {
        await withGracefulShutdownHandler {
          await session.waitUntilInvalid()
        } onGracefulShutdown: {
          session.finishTasksAndInvalidate()
          let clock = session.engine.clock
          let seconds = Double(timeLimit.components.seconds) + Double(timeLimit.components.attoseconds) * 1e-18
          let wake = clock.plan(at: clock.now.advanced(bySeconds: seconds)) { [weak session] in session?.invalidateAndCancel() }
          limit.withLock { $0 = wake }
        }
      } onCancel: {
        session.invalidateAndCancel()
      }
      limit.withLock { $0 }?.cancel()
    }
  }

  /// Why a session can't be a service.
  public enum URLSessionServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `URLSession.shared` can't be invalidated.
    case sharedSession

    /// The problem and how to solve it, in a sentence.
    public var description: String {
      "URLSession.shared can't be invalidated: give the service a session of its own, by URLSession(configuration:)"
    }
  }
#endif
