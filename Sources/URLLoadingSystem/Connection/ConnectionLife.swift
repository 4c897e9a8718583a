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
  case ended

  var task: URLSessionTask? {
    if case .loading(let task) = self { task } else { nil }
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
