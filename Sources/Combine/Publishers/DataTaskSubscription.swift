#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  /// The object that a task's completion handler calls. The protocol hides the subscriber's type, which isn't `Sendable` and must not be captured by
  /// the handler.
  protocol TaskOutcomeReceiver: AnyObject, Sendable {
    func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?)
  }

  extension URLSession.DataTaskPublisher {
    fileprivate func makeTask(for receiver: any TaskOutcomeReceiver) -> URLSessionDataTask {
      session.dataTask(with: request) { receiver.complete($0, $1, $2) }
    }
  }

  /// One subscription to a `DataTaskPublisher`: creates the task at the first demand and publishes its outcome once; publishes nothing after
  /// `cancel()`.
  ///
  /// Owned by the subscriber, and by the task's completion handler until the task ends. May be called from any thread.
  ///
  ///     waiting ─request─> starting ─> loading ─response─> delivering ─> over
  ///        └──────────────────┴───────────┴──cancel, error─────┴──────────┘
  final class DataTaskSubscription<Downstream: Subscriber>: Subscription, TaskOutcomeReceiver, @unchecked Sendable
  where Downstream.Input == (data: Data, response: URLResponse), Downstream.Failure == URLError {
    // @unchecked: all variables are accessed under `lock`. The subscriber is called outside of it, by the one thread that has moved the state to
    // `delivering`.
    private enum State {
      case waiting
      case starting
      case loading(URLSessionDataTask)
      case delivering
      case over
    }

    private let lock = NSLock()
    private var state = State.waiting
    private var demand = Subscribers.Demand.none
    private var publisher: URLSession.DataTaskPublisher?
    private var downstream: Downstream?

    init(of publisher: URLSession.DataTaskPublisher, downstream: Downstream) {
      (self.publisher, self.downstream) = (publisher, downstream)
    }

    /// Adds demand; the first demand starts the load. A demand of 0, which Combine forbids, is ignored.
    func request(_ demand: Subscribers.Demand) {
      guard demand > 0 else { return }
      let (publisher, running) = lock.withLock { () -> (URLSession.DataTaskPublisher?, URLSessionDataTask?) in
        switch state {
        case .waiting:
          state = .starting
          self.demand += demand
          return (self.publisher, nil)
        case .loading(let task):
          self.demand += demand
          return (nil, task)
        case .starting, .delivering, .over:
          return (nil, nil)
        }
      }
      running?.resume()
      if let publisher { start(publisher) }
    }

    /// Creates the task outside of the lock, because a subclass of the session may override how that is done.
    private func start(_ publisher: URLSession.DataTaskPublisher) {
      let task = publisher.makeTask(for: self)
      let isWanted = lock.withLock {
        guard case .starting = state else { return false }
        state = .loading(task)
        return true
      }
      if isWanted { task.resume() } else { task.cancel() }
    }

    func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      if let response, error == nil {
        guard let downstream = beginDelivering() else { return }
        _ = downstream.receive((data ?? Data(), response))
        // `end()` returns nil, and nothing is published, if the subscriber has cancelled during `receive`.
        end()?.receive(completion: .finished)
      } else {
        guard beginDelivering() != nil else { return }
        end()?.receive(completion: .failure(URLError(taskError: error)))
      }
    }

    private func beginDelivering() -> Downstream? {
      lock.withLock {
        switch state {
        case .loading, .starting:
          state = .delivering
          return downstream
        case .waiting, .delivering, .over: return nil
        }
      }
    }

    /// Ends the subscription and returns the subscriber to send the completion to; nil if the subscription has been cancelled.
    private func end() -> Downstream? {
      let (downstream, _) = lock.withLock { () -> Held in
        guard case .delivering = state else { return (nil, nil) }
        return leave()
      }
      return downstream
    }

    func cancel() {
      // All is released after the lock, because the deinitializers of subscriber, task and session may run the app's code.
      let (task, _) = lock.withLock { () -> (URLSessionDataTask?, Held) in
        guard case .loading(let task) = state else { return (nil, leave()) }
        return (task, leave())
      }
      task?.cancel()
    }

    private typealias Held = (Downstream?, URLSession.DataTaskPublisher?)

    private func leave() -> Held {
      defer {
        state = .over
        demand = .none
        (downstream, publisher) = (nil, nil)
      }
      return (downstream, publisher)
    }
  }

  extension DataTaskSubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    var description: String { "DataTaskPublisher" }
    var playgroundDescription: Any { description }

    var customMirror: Mirror {
      lock.withLock {
        let task: URLSessionDataTask? = if case .loading(let task) = state { task } else { nil }
        return Mirror(
          self,
          children: [("task", task as Any), ("downstream", downstream as Any), ("parent", publisher as Any), ("demand", demand)])
      }
    }
  }

  extension URLError {
    /// The error of a task as a `URLError`. An error of another kind, such as an app's `URLProtocol` may report, becomes `unknown` with that error as
    /// its underlying error.
    init(taskError error: (any Error)?) {
      if let error = error as? URLError {
        self = error
      } else if let error = error as NSError?, error.domain == NSURLErrorDomain, let code = URLError.Code(rawValue: error.code) {
        self = URLError(code, userInfo: error.userInfo)
      } else {
        self = URLError(.unknown, userInfo: error.map { [NSUnderlyingErrorKey: $0] } ?? [:])
      }
    }
  }
#endif
