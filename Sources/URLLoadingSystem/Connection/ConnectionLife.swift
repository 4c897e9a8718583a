/// The phases of an `NSURLConnection` or `NSURLDownload`:
///
///     idle -> starting -> loading -> ended
///        \________\__________\______/   cancel()
enum ConnectionLife {
  /// Not started yet; holds the delegate until then.
  case idle(ConnectionReceivers)
  /// The delegate is being asked whether and how to send the request.
  case starting
  case loading(URLSessionTask)
  /// Ended or cancelled; holds the request of the last redirect, nil if nothing was loaded.
  case ended(URLRequest? = nil)

  var task: URLSessionTask? {
    if case .loading(let task) = self { task } else { nil }
  }

  /// The load's current request, or its last one after the end; nil if nothing was loaded.
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
