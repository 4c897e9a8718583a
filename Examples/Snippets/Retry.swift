import Foundation
import URLLoadingSystem

/// Loads a URL and tries again, each time after twice the pause, when the server is busy or the network fails.
public func loadWithRetry(_ url: URL, attempts: Int = 3, firstPause: Duration = .milliseconds(200)) async throws -> (Data, attempts: Int) {
  var pause = firstPause
  for attempt in 1...max(1, attempts) {
    do {
      let (data, response) = try await URLSession.shared.data(from: url)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      if status != 503, status != 429 { return (data, attempt) }
    } catch let error as URLError where error.isWorthRetrying && attempt < attempts {}
    if attempt < attempts {
      try await Task.sleep(for: pause)
      pause *= 2
    }
  }
  throw URLError(.resourceUnavailable)
}

extension URLError {
  fileprivate var isWorthRetrying: Bool {
    switch code {
    case .timedOut, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet: true
    default: false
    }
  }
}
