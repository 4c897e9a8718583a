import Foundation
import URLLoadingSystem

/// Sends a value as JSON with POST and returns the answer.
public func post(_ value: some Encodable, to url: URL) async throws -> (Data, HTTPURLResponse) {
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  request.setValue("application/json; charset=utf-8", forHTTPHeaderField: "Content-Type")
  request.setValue("application/json", forHTTPHeaderField: "Accept")
  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .iso8601
  request.httpBody = try encoder.encode(value)
  let (data, response) = try await URLSession.shared.data(for: request)
  guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  return (data, http)
}
