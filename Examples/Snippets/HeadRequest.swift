import Foundation
import URLLoadingSystem

/// The size and type of a resource, without loading it.
public func inspect(_ url: URL) async throws -> (length: Int64, type: String?) {
  var request = URLRequest(url: url)
  request.httpMethod = "HEAD"
  let (_, response) = try await URLSession.shared.data(for: request)
  return (response.expectedContentLength, response.mimeType)
}
