#if Combine
  import Combine
  import Foundation

  extension URLSession {
    /// Loads articles: a status other than 2xx is an error, and a load that fails is repeated twice.
    public func articles(from url: URL) -> AnyPublisher<[Article], any Error> {
      dataTaskPublisher(for: url)
        .tryMap { data, response in
          guard let response = response as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
            throw URLError(.badServerResponse)
          }
          return data
        }
        .retry(2)
        .decode(type: [Article].self, decoder: JSONDecoder())
        .eraseToAnyPublisher()
    }

    /// Loads articles from `mirror` where `url` fails.
    public func articles(from url: URL, orFrom mirror: URL) -> AnyPublisher<[Article], any Error> {
      articles(from: url)
        .catch { _ in self.articles(from: mirror) }
        .eraseToAnyPublisher()
    }

    /// Loads a list of addresses and then, at most four at a time, what they name: the texts in the order in which they arrive.
    public func texts(listedAt url: URL) -> AnyPublisher<String, URLError> {
      dataTaskPublisher(for: url)
        .map { String(decoding: $0.data, as: UTF8.self).split(separator: "\n") }
        .flatMap { lines in lines.publisher.setFailureType(to: URLError.self) }
        .compactMap { URL(string: String($0), relativeTo: url) }
        .flatMap(maxPublishers: .max(4)) { self.dataTaskPublisher(for: $0) }
        .map { String(decoding: $0.data, as: UTF8.self) }
        .eraseToAnyPublisher()
    }

    /// Posts an article; the published text is the server's answer.
    public func post(_ article: Article, to url: URL) -> AnyPublisher<String, any Error> {
      Just(article)
        .encode(encoder: JSONEncoder())
        .map { body in
          var request = URLRequest(url: url)
          request.httpMethod = "POST"
          request.setValue("application/json", forHTTPHeaderField: "Content-Type")
          request.httpBody = body
          return request
        }
        .flatMap { request in self.dataTaskPublisher(for: request).mapError { $0 as any Error } }
        .map { String(decoding: $0.data, as: UTF8.self) }
        .eraseToAnyPublisher()
    }
  }
#endif
