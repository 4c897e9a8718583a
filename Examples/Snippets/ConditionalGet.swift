import Foundation
import URLLoadingSystem

/// Loads a resource only if it differs from the version already at hand; nil if it doesn't.
public func load(_ url: URL, ifChangedSince tag: String?) async throws -> (data: Data, tag: String?)? {
  var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
  if let tag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
  let (data, response) = try await URLSession.shared.data(for: request)
  guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  if http.statusCode == 304 { return nil }
  return (data, http.value(forHTTPHeaderField: "ETag"))
}
