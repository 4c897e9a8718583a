import Foundation
import URLLoadingSystem

/// One line of a stream of JSON values.
public struct StreamItem: Decodable, Sendable {
  public var id: Int
}

/// Reads JSON values, one on each line, while they arrive.
public func streamItems(from url: URL) async throws -> [StreamItem] {
  let (bytes, response) = try await URLSession.shared.bytes(from: url)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
  let decoder = JSONDecoder()
  var items: [StreamItem] = []
  for try await line in bytes.lines {
    items.append(try decoder.decode(StreamItem.self, from: Data(line.utf8)))
  }
  return items
}
