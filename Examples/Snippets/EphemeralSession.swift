import Foundation
import URLLoadingSystem

/// Loads a URL without leaving cookies, credentials or cached data behind.
public func loadPrivately(_ url: URL) async throws -> Data {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.urlCache = nil
  configuration.httpShouldSetCookies = false
  configuration.httpCookieAcceptPolicy = .never
  configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
  let session = URLSession(configuration: configuration)
  defer { session.finishTasksAndInvalidate() }
  return try await session.data(from: url).0
}
