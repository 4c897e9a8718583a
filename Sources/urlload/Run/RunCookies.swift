import Foundation
import URLLoadingSystem

/// The cookies of one run: sets those that the options give, and writes the cookie jar at the end.
struct RunCookies: Sendable {
  let storage: HTTPCookieStorage
  private let jar: String?
  /// The cookies given on the command line, each with the stored one that it has replaced: they aren't written to the jar.
  private var given: [(cookie: HTTPCookie, replaced: HTTPCookie?)] = []

  /// Sets the cookies that the options give in `storage`.
  /// - Throws: If a file can't be read.
  init(_ options: StorageOptions, urls: [String], storage: HTTPCookieStorage) throws(ToolFailure) {
    self.storage = storage
    jar = options.cookieJar
    // A jar that doesn't exist is empty. A device or a pipe is only written, because reading it might never end.
    let isRead = jar.map { $0 != "-" && FileManager.default.fileExists(atPath: $0) && !FileTarget.isSpecial($0) } ?? false
    if let jar, isRead { try read(jar) }
    // An empty `-b` switches on curl's cookies, which are always on here.
    for argument in options.cookie.filter({ !$0.isEmpty }).map(CookieArgument.init) {
      switch argument {
      // A file that is also the jar has been read above, or doesn't exist.
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

  /// The cookies to write to the jar: those of the storage, without those of the command line that no server has changed.
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

  /// Writes the cookie jar, if the options name one.
  /// - Throws: If it can't be written.
  func save() throws(ToolFailure) {
    guard let jar else { return }
    let text = Data(CookieFile.text(kept).utf8)
    if jar == "-" {
      if let code = Descriptor.writeAll(text, to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
      return
    }
    if FileTarget.isSpecial(jar) { return try write(text, to: jar) }
    let file = try UnfinishedFile(for: jar, .replaced)
    // Cookies may be logins: a new jar is readable by its owner alone, whatever the umask is.
    if !FileManager.default.fileExists(atPath: jar) { fchmod(file.descriptor, 0o600) }
    if let code = Descriptor.writeAll(text, to: file.descriptor) {
      file.discard()
      throw WriteFailure.failure(jar, code)
    }
    if case .overwrites(let file) = try file.commit() { try file.write() }
  }

  /// Writes a jar that is no regular file.
  private func write(_ text: Data, to jar: String) throws(ToolFailure) {
    let descriptor = try FileTarget.openSpecial(jar)
    defer { close(descriptor) }
    if let code = Descriptor.writeAll(text, to: descriptor) { throw WriteFailure.failure(jar, code) }
  }
}

extension HTTPCookie {
  /// Whether the cookies have the same name, domain and path, so that one replaces the other (RFC 6265, 5.3, step 11).
  fileprivate func isAtPlace(of other: HTTPCookie) -> Bool { (name, domain, path) == (other.name, other.domain, other.path) }
}
