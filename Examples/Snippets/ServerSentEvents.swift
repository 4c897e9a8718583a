import Foundation
import URLLoadingSystem

/// A piece of a language model's answer.
private struct Delta: Decodable {
  let text: String
}

/// The answer of a language model, as it is written.
public func answer(to request: URLRequest, session: URLSession = .shared) async throws -> String {
  let (bytes, response) = try await session.bytes(for: request)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
  var answer = ""
  for try await event in bytes.serverSentEvents {
    if event.data == "[DONE]" { break }
    answer += try JSONDecoder().decode(Delta.self, from: Data(event.data.utf8)).text
  }
  return answer
}

/// The data of the first `count` events of a feed, over as many connections as it takes.
public func news(from feed: URL, count: Int, session: URLSession = .shared) async throws -> [String] {
  var news: [String] = []
  for try await event in session.serverSentEvents(from: feed) where event.type == "news" {
    news.append(event.data)
    if news.count == count { break }
  }
  return news
}
