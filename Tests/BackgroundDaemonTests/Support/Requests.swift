import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// Requests as orders have them.
enum Requests {
  static func archived(_ url: URL?, method: String = "GET") -> Data {
    guard let url else { return Data() }
    var request = URLRequest(url: url)
    request.httpMethod = method
    return BackgroundCoding.data(request) ?? Data()
  }
}

/// Bytes that a server gives out whole or from an offset on.
struct ServedFile: Sendable {
  let bytes: Data
  let tag = "\"one\""

  init(count: Int) { bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }

  func reply(_ request: RecordedRequest) -> Reply {
    guard let offset = ServedFile.offset(request), request.headers["If-Range"] ?? tag == tag else {
      return Reply(headers: ["ETag": tag, "Accept-Ranges": "bytes"], body: .bytes(bytes))
    }
    return Reply(
      206, headers: ["ETag": tag, "Content-Range": "bytes \(offset)-\(bytes.count - 1)/\(bytes.count)"],
      body: .bytes(bytes.dropFirst(offset)))
  }

  static func offset(_ request: RecordedRequest) -> Int? {
    request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
  }

  /// Serves `path`: the first answer stops after so many bytes.
  func serve(_ path: String, on server: TestServer, stallingAfter count: Int) {
    let file = self
    server.route(path) { request in
      let reply = file.reply(request)
      return ServedFile.offset(request) == nil ? reply.with(.stallAfter(bodyBytes: count)) : reply
    }
  }
}
