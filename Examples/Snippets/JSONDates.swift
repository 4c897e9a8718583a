import Foundation
import URLLoadingSystem

public struct Article: Codable, Equatable, Sendable {
  public var title: String
  public var publishedAt: Date

  public init(title: String, publishedAt: Date) {
    self.title = title
    self.publishedAt = publishedAt
  }
}

/// Loads an article whose keys are in snake case and whose date is in ISO 8601.
public func loadArticle(from url: URL) async throws -> Article {
  let (data, _) = try await URLSession.shared.data(from: url)
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  return try decoder.decode(Article.self, from: data)
}
