import Foundation
import URLLoadingSystem

/// Asks a search service; the components do the escaping.
public func search(_ term: String, page: Int, at endpoint: URL) async throws -> [String: String] {
  guard var components = URLComponents(url: endpoint, resolvingAgainstBaseURL: false) else { throw URLError(.badURL) }
  components.queryItems = [URLQueryItem(name: "q", value: term), URLQueryItem(name: "page", value: String(page))]
  guard let url = components.url else { throw URLError(.badURL) }
  struct Answer: Decodable { var args: [String: String] }
  let (data, _) = try await URLSession.shared.data(from: url)
  return try JSONDecoder().decode(Answer.self, from: data).args
}
