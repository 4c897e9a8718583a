import Foundation
import URLLoadingSystem

/// Sends a form as a browser does.
public func submitForm(_ fields: [String: String], to url: URL) async throws -> Data {
  var components = URLComponents()
  components.queryItems = fields.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
  request.httpBody = Data((components.percentEncodedQuery ?? "").utf8)
  return try await URLSession.shared.data(for: request).0
}
