import Foundation
import URLLoadingSystem

/// The cookies of one run: where they are read from and written to.
struct RunCookies: Sendable {
  let storage: HTTPCookieStorage
  private let jar: String?

  /// Fills `storage` with what the options give.
  /// - Throws: If a file can't be read.
  init(_ options: StorageOptions, urls: [String], storage: HTTPCookieStorage) throws(ToolFailure) {
    self.storage = storage
    jar = options.cookieJar
    // A jar that doesn't exist yet is an empty one.
    if let jar, jar != "-", FileManager.default.fileExists(atPath: jar) { try read(jar) }
    for argument in options.cookie.map(CookieArgument.init) {
      switch argument {
      case .file(let path): try read(path)
      case .pairs(let pairs):
        for url in urls.compactMap(URL.init(string:)) {
          for cookie in pairs.compactMap({ $0.cookie(for: url) }) { storage.setCookie(cookie) }
        }
      }
    }
  }

  private func read(_ path: String) throws(ToolFailure) {
    let content = path == "-" ? try? FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: path)
    guard let content else {
      throw ToolFailure(.readFailed, "\(path) can't be read for cookies; name a cookie file, or write a cookie as NAME=VALUE")
    }
    for cookie in CookieFile.cookies(in: String(decoding: content, as: UTF8.self), now: Date()) { storage.setCookie(cookie) }
  }

  /// Writes the jar, if there is one.
  /// - Throws: If that fails.
  func save() throws(ToolFailure) {
    guard let jar else { return }
    let text = Data(CookieFile.text(storage.cookies ?? []).utf8)
    if jar == "-" {
      if let code = Descriptor.writeAll(text, to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
      return
    }
    let file = try UnfinishedFile(for: jar, replaces: true)
    // Cookies are logins: a new jar is the owner's alone, whatever the umask says.
    if !FileManager.default.fileExists(atPath: jar) { fchmod(file.descriptor, 0o600) }
    if let code = Descriptor.writeAll(text, to: file.descriptor) {
      file.discard()
      throw WriteFailure.failure(jar, code)
    }
    try file.commit()
  }
}
