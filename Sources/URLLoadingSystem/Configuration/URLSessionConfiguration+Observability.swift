import Foundation
import HTTPTransport
import LoadingModel

#if Logging
  import Logging
#endif
#if Metrics
  import CoreMetrics
#endif
#if Tracing
  import Tracing
#endif

extension URLSessionConfiguration {
  /// Whether the queries of URLs are shown in log lines, spans and the lines of `URL_LOADING_SYSTEM_LOG`. Default: false, a query is shown
  /// as `REDACTED`.
  ///
  /// The values of parameters that are known to grant access (`Signature`, `sig`, `AWSAccessKeyId`, `X-Amz-Signature`,
  /// `X-Goog-Signature`) are left out in any case, and so are user names, passwords and fragments. An addition to Apple's API.
  public final var showsQueriesOfObservedURLs: Bool {
    get { values.withLock { $0.showsQueriesOfObservedURLs } }
    set { values.change { $0.showsQueriesOfObservedURLs = newValue } }
  }

  /// Receives each step of the session's connections as it happens, such as look-ups, attempts and handshakes; nil for none.
  package final var connectionWatcher: (any ConnectionWatcher)? {
    get { values.withLock { $0.connectionWatcher } }
    set { values.change { $0.connectionWatcher = newValue } }
  }

  /// Makes an observer for each load of a task, which receives the load's steps; nil for none.
  package final var makeLoadObserver: (@Sendable (URLSessionTask) -> any LoadObserver)? {
    get { values.withLock { $0.makeLoadObserver } }
    set { values.change { $0.makeLoadObserver = newValue } }
  }

  /// Records what the session's tasks send and receive. Default: nil, which means the recorder that the process has when a task starts.
  package final var transferRecording: (any TransferRecording)? {
    get { values.withLock { $0.transferRecording } }
    set { values.change { $0.transferRecording = newValue } }
  }

  #if Logging
    /// Receives log lines about the session's tasks. Default: nil, which logs nothing.
    ///
    /// Requests, responses and connections are logged at the level `debug`, redirects and repeated requests at `info`, failures at
    /// `notice`, failures of TLS and of certificates at `warning`. The logger is called on the session's event loop: a handler that
    /// blocks holds up its loads. No line has credentials, header values or bodies. An addition to Apple's API, with the package trait
    /// `Logging`.
    public final var logger: Logger? {
      get { values.withLock { $0.logger } }
      set { values.change { $0.logger = newValue } }
    }
  #endif

  #if Metrics
    /// Makes the counters and timers of the session's loads. Default: nil, which means the factory that `MetricsSystem` has when the session is made.
    ///
    /// An addition to Apple's API, with the package trait `Metrics`.
    public final var metricsFactory: (any MetricsFactory)? {
      get { values.withLock { $0.metricsFactory } }
      set { values.change { $0.metricsFactory = newValue } }
    }
  #endif

  #if Tracing
    /// Makes the spans of the session's tasks. Default: nil, which means the tracer that `InstrumentationSystem` has when a task starts.
    ///
    /// A task has one span, whose parent is the `ServiceContext` that is current where the task is made. An addition to Apple's API, with
    /// the package trait `Tracing`.
    public final var tracer: (any Tracer)? {
      get { values.withLock { $0.tracer } }
      set { values.change { $0.tracer = newValue } }
    }
  #endif
}
