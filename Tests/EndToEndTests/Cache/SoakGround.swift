import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// What all processes of a soak know: where the stores are, and what their server answers.
///
/// Each of a process's sessions is a writer with pages and cookies of its own; some pages belong to all.
struct SoakGround: Sendable {
  static let sessionsPerProcess = 2
  static let commonPages = 5
  private static let cookiesPerWriter = 20
  private static let sizes = [100, 1000, 5000, 20_000, 60_000]

  let folder: URL
  let server: URL

  var home: URL { folder.appending(path: "home", directoryHint: .isDirectory) }
  var cacheFolder: URL { folder.appending(path: "cache", directoryHint: .isDirectory) }

  /// An object of its own, as another process has it. Larger than all that is stored: what is missing was lost and not evicted.
  func openCache() -> URLCache { URLCache(memoryCapacity: 1_000_000, diskCapacity: 8_000_000_000, directory: cacheFolder) }

  func page(_ writer: Int, _ number: Int) -> URL { server.appending(path: "page/\(writer)/\(number)") }

  func commonPage(_ number: Int) -> URL { server.appending(path: "common/\(number % SoakGround.commonPages)") }

  /// The one body that a page has: bytes that say whose they are, so that a mixture or a piece is noticed.
  static func body(_ path: String) -> Data {
    let number = Int(path.split(separator: "/").last ?? "") ?? 0
    let size = sizes[number % sizes.count]
    let line = Data("\(path) \(size)\n".utf8)
    var body = Data(capacity: size + line.count)
    while body.count < size { body.append(line) }
    return body.prefix(size)
  }

  static func cookieName(_ writer: Int, _ number: Int) -> String { "writer\(writer)-\(number % cookiesPerWriter)" }

  static func serve(_ server: TestServer) {
    server.route("/page/{writer}/{number}", .GET) { request in
      let (writer, number) = (Int(request.parameters["writer"] ?? "") ?? 0, Int(request.parameters["number"] ?? "") ?? 0)
      let cookie = "\(cookieName(writer, number))=\(number); Max-Age=86400; Path=/page/\(writer)"
      return Reply(headers: ["Cache-Control": "max-age=86400", "Set-Cookie": cookie], body: .bytes(body(request.uri)))
    }
    server.route("/common/*", .GET) { Reply(headers: ["Cache-Control": "max-age=86400"], body: .bytes(body($0.uri))) }
    server.route("/common/*", .POST, reply: .text("changed"))
  }
}
