import Foundation
import ProtocolRules
import Stores
import URLLoadingSystem

/// What the processes of a soak have acknowledged, and what has become of it.
struct SoakVerdict {
  struct Page: Hashable {
    var writer: Int
    var number: Int
  }

  private(set) var pages: Set<Page> = []
  /// How many cookies were acknowledged, and the last value of each name.
  private(set) var cookieCount = 0
  private var cookies: [String: Int] = [:]
  private(set) var lost: Set<String> = []
  private(set) var corrupt: Set<String> = []
  private(set) var stored = 0

  mutating func take(_ reports: [String]) {
    for report in reports {
      let words = report.split(separator: " ")
      if words.count == 3, let writer = Int(words[1]), let number = Int(words[2]) {
        if words[0] == "page" {
          pages.insert(Page(writer: writer, number: number))
        } else {
          cookieCount += 1
          cookies[SoakGround.cookieName(writer, number)] = number
        }
      } else {
        corrupt.insert(report)
      }
    }
  }

  /// Looks for some acknowledged pages through `session`, which may take them from the cache alone.
  mutating func check(_ pages: [Page], _ ground: SoakGround, _ session: URLSession) async {
    for page in pages {
      let url = ground.page(page.writer, page.number)
      guard let body = await SoakVerdict.body(url, session) else {
        lost.insert("\(url)")
        continue
      }
      if body != SoakGround.body(url.path) { corrupt.insert("\(url)") }
    }
  }

  private static func body(_ url: URL, _ session: URLSession) async -> Data? {
    try? await session.data(for: URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad)).0
  }

  /// Looks at all there is, once no process writes any more.
  mutating func conclude(_ ground: SoakGround) async throws {
    let cache = ground.openCache()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = cache
    let session = URLSession(configuration: configuration)
    await check(Array(pages), ground, session)
    let entries = cache.entries()
    stored = entries.count
    let known = Set(pages.map { ground.page($0.writer, $0.number) })
    for entry in entries where !known.contains(entry.url) {
      if await SoakVerdict.body(entry.url, session) != SoakGround.body(entry.url.path) { corrupt.insert("\(entry.url)") }
    }
    session.invalidateAndCancel()
    if let failure = cache.diskFailure { corrupt.insert("\(failure)") }
    try checkCookies(ground)
    try checkFiles(ground)
  }

  private mutating func checkCookies(_ ground: SoakGround) throws {
    let store = CookieStore(file: ground.home.appending(path: "data/cookies.sqlite"))
    var kept: [String: Int] = [:]
    for cookie in store.read({ jar, now in jar.all(now: now).map(\.cookie) }) {
      kept[cookie.name] = Int(cookie.value)
      if Int(cookie.value) == nil { corrupt.insert("cookie \(cookie.name)") }
    }
    if let failure = store.failure { corrupt.insert("\(failure)") }
    // A later value than the acknowledged one was on its way when its process was killed.
    for (name, number) in cookies where kept[name] ?? -1 < number { lost.insert("cookie \(name) of \(number)") }
  }

  private mutating func checkFiles(_ ground: SoakGround) throws {
    for path in ["cache/Cache.db", "home/data/cookies.sqlite"] {
      let file = ground.folder.appending(path: path).path(percentEncoded: false)
      let verdict = try DatabaseConnections(path: file).read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
      if verdict != "ok" { corrupt.insert("\(path): \(verdict ?? "")") }
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: ground.folder.path(percentEncoded: false))
    corrupt.formUnion(names.filter { $0.contains("corrupt") })
  }
}
