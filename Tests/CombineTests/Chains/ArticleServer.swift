#if Combine
  import CombineChains
  import Foundation
  import URLLoadingTestKit

  extension Article {
    static let samples = [Article(id: 1, title: "one"), Article(id: 2, title: "two")]
  }

  extension Reply {
    /// A reply of articles.
    static func articles(_ articles: [Article] = Article.samples) -> Reply {
      Reply(headers: ["Content-Type": "application/json"], body: .bytes((try? JSONEncoder().encode(articles)) ?? Data()))
    }
  }
#endif
