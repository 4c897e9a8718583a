import Foundation
import URLLoadingSystem

/// The cookies of one run: where they are read from and written to.
struct RunCookies: Sendable {
  let storage: HTTPCookieStorage
  private let jar: String?
  /// The cookies of the command line, each with what it took the place of: they are this run's alone.
  private var given: [(cookie: HTTPCookie, replaced: HTTPCookie?)] = []

  /// Fills `storage` with what the options give.
  /// - Throws: If a file can't be read.
  init(_ options: StorageOptions, urls: [String], storage: HTTPCookieStorage) throws(ToolFailure) {
    self.storage = storage
    jar = options.cookieJar
    // A jar that doesn't exist yet is an empty one, and so is a device or a pipe, whose end need never come.
    let isRead = jar.map { $0 != "-" && FileManager.default.fileExists(atPath: $0) && !FileTarget.isSpecial($0) } ?? false
    if let jar, isRead { try read(jar) }
    // An empty one turns curl's cookies on, which are always on here.
    for argument in options.cookie.filter({ !$0.isEmpty }).map(CookieArgument.init) {
      switch argument {
      // The jar is read above, or missing.
      case .file(let path): if path != jar || path == "-" || FileTarget.isSpecial(path) { try read(path) }
      case .pairs(let pairs):
        for url in urls.compactMap(URL.init(string:)) {
          for cookie in pairs.compactMap({ $0.cookie(for: url) }) { give(cookie) }
        }
      }
    }
  }

  private mutating func give(_ cookie: HTTPCookie) {
    if !given.contains(where: { $0.cookie.isAtPlace(of: cookie) }) {
      given.append((cookie, storage.cookies?.first { $0.isAtPlace(of: cookie) }))
    }
    storage.setCookie(cookie)
  }

  /// The storage's cookies, without those of the command line that no server has changed.
  private var kept: [HTTPCookie] {
    (storage.cookies ?? []).compactMap { cookie in
      guard let (given, replaced) = given.first(where: { $0.cookie.isAtPlace(of: cookie) }) else { return cookie }
      return cookie.value == given.value && cookie.isSessionOnly && !cookie.isHTTPOnly && !cookie.isSecure ? replaced : cookie
    }
  }

  private func read(_ path: String) throws(ToolFailure) {
    let content = NamedContent.read(path)
    guard let content else {
      throw ToolFailure(.readFailed, "\(path) can't be read for cookies; name a cookie file, or write a cookie as NAME=VALUE")
    }
    for cookie in CookieFile.cookies(in: String(decoding: content, as: UTF8.self), now: Date()) { storage.setCookie(cookie) }
  }

  /// Writes the jar, if there is one.
  /// - Throws: If that fails.
  func save() throws(ToolFailure) {
    guard let jar else { return }
    let text = Data(CookieFile.text(kept).utf8)
    if jar == "-" {
      if let code = Descriptor.writeAll(text, to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
      return
    }
    if FileTarget.isSpecial(jar) { return try write(text, to: jar) }
    let file = try UnfinishedFile(for: jar, replaces: true)
    // Cookies are logins: a new jar is the owner's alone, whatever the umask says.
    if !FileManager.default.fileExists(atPath: jar) { fchmod(file.descriptor, 0o600) }
    if let code = Descriptor.writeAll(text, to: file.descriptor) {
      file.discard()
      throw WriteFailure.failure(jar, code)
    }
    try file.commit()?.write()
  }

  /// Writes a jar that is no regular file.
  private func write(_ text: Data, to jar: String) throws(ToolFailure) {
    let descriptor = try FileTarget.openSpecial(jar)
    defer { close(descriptor) }
    if let code = Descriptor.writeAll(text, to: descriptor) { throw WriteFailure.failure(jar, code) }
  }
}

extension HTTPCookie {
  /// Whether one takes the other's place in a store (RFC 6265, 5.3, step 11).
  fileprivate func isAtPlace(of other: HTTPCookie) -> Bool { (name, domain, path) == (other.name, other.domain, other.path) }
}
