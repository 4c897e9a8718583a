import Foundation
import URLLoadingSystem

/// Refuses every redirect, so that the redirecting answer itself is delivered.
public final class RedirectRefuser: NSObject, URLSessionTaskDelegate {
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

/// Where a URL redirects to, without following it.
public func redirectTarget(of url: URL) async throws -> URL? {
  let (_, response) = try await URLSession.shared.data(from: url, delegate: RedirectRefuser())
  guard let http = response as? HTTPURLResponse, (300...399).contains(http.statusCode) else { return nil }
  return http.value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
}
