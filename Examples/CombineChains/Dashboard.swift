#if Combine
  import Combine
  import Foundation

  /// What a first screen needs: three loads at once, shown when all have arrived.
  public struct Dashboard: Equatable, Sendable {
    public var news: [Article]
    public var sport: [Article]
    public var weather: String

    public init(news: [Article], sport: [Article], weather: String) {
      (self.news, self.sport, self.weather) = (news, sport, weather)
    }
  }

  extension URLSession {
    /// Loads the parts of a dashboard at once; fails as soon as one of them does, which cancels the others.
    public func dashboard(at base: URL) -> AnyPublisher<Dashboard, any Error> {
      let weather = dataTaskPublisher(for: base.appending(path: "weather"))
        .map { String(decoding: $0.data, as: UTF8.self) }
        .mapError { $0 as any Error }
      return articles(from: base.appending(path: "news"))
        .zip(articles(from: base.appending(path: "sport")), weather) { Dashboard(news: $0, sport: $1, weather: $2) }
        .eraseToAnyPublisher()
    }

    /// The articles of several feeds, feed by feed as they arrive. A feed that fails is left out.
    public func articles(fromAll feeds: [URL]) -> AnyPublisher<[Article], Never> {
      Publishers.MergeMany(feeds.map { articles(from: $0).catch { _ in Empty<[Article], Never>() } })
        .eraseToAnyPublisher()
    }
  }
#endif
