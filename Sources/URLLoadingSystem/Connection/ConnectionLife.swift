/// Where a connection is in its life.
///
///     idle -> starting -> loading -> ended
///        \________\__________\______/   cancel()
enum ConnectionLife {
  /// Not started; keeps the delegate.
  case idle(ConnectionReceivers)
  /// The delegate is being asked about the request.
  case starting
  case loading(URLSessionTask)
  /// Keeps the request of the last redirect, where there was a load.
  case ended(URLRequest? = nil)

  var task: URLSessionTask? {
    if case .loading(let task) = self { task } else { nil }
  }

  /// The request in effect, or that was at the end; nil before there is a load.
  var request: URLRequest? {
    switch self {
    case .idle, .starting: nil
    case .loading(let task): task.currentRequest
    case .ended(let request): request
    }
  }

  var isStarting: Bool {
    if case .starting = self { true } else { false }
  }

  var isActive: Bool {
    switch self {
    case .starting, .loading: true
    case .idle, .ended: false
    }
  }
}
