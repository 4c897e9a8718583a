import Foundation
import LoadingModel
import URLLoadingSystem

/// `--session NAME`: keeps cookies, header fields and login from run to run, for the first URL's host, or in a file whose path is given.
struct KeptSession: Sendable {
  private struct Content: Codable {
    var fields: [String] = []
    var user: String?
    var bearer: String?
    /// The cookies in Netscape's file format.
    var cookies = ""
  }

  /// Beginnings of fields that belong to a single request, and aren't kept.
  private static let passing = ["content-", "if-", "range:", "expect:", "host:", "cookie:"]

  private let path: String
  private let isReadOnly: Bool
  private let content: Content

  /// The session that the options name; nil if they name none.
  /// - Throws: If its file can't be read.
  init?(_ options: StorageOptions, urls: [String]) throws(ToolFailure) {
    guard let name = options.session else { return nil }
    path = try KeptSession.path(name, urls.first.flatMap { URL(string: $0) })
    isReadOnly = options.readsSessionOnly
    guard FileManager.default.fileExists(atPath: path) else {
      content = Content()
      return
    }
    guard let content = Sidecar.load(Content.self, path) else {
      throw ToolFailure(.readFailed, "\(path) can't be read as a session; move it away to begin a new one")
    }
    self.content = content
  }

  private static func path(_ name: String, _ url: URL?) throws(ToolFailure) -> String {
    if name.contains("/") { return name }
    let environment = ProcessEnvironment.variables
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (environment["HOME"] ?? "") + "/.local/share"
    let home = environment["URL_LOADING_SYSTEM_HOME"].map { $0 + "/urlload" } ?? data + "/urlload"
    let host = (url?.host() ?? "localhost").lowercased() + (url?.port.map { "_\($0)" } ?? "")
    let folder = "\(home)/sessions/\(host.replacing("/", with: "_"))"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ToolFailure(.writeFailed, "the folder \(folder) can't be made; give --session the path of a file")
    }
    return "\(folder)/\(name.hasPrefix(".") ? "_" : "")\(name).json"
  }

  /// Adds the kept fields and login to the options, except where the command line gives others.
  func apply(to options: inout LoadOptions) {
    let given = Set(options.request.header.map(KeptSession.name))
    options.request.header = content.fields.filter { !given.contains(KeptSession.name($0)) } + options.request.header
    guard options.login.user == nil, options.login.bearer == nil else { return }
    (options.login.user, options.login.bearer) = (content.user, content.bearer)
  }

  /// Sets the kept cookies in a storage, before those of the command line are set.
  func fill(_ storage: HTTPCookieStorage) {
    for cookie in CookieFile.cookies(in: content.cookies, now: Date()) { storage.setCookie(cookie) }
  }

  /// Writes the session to its file, which only its owner can read.
  func save(_ options: LoadOptions, _ storage: HTTPCookieStorage) throws(ToolFailure) {
    guard !isReadOnly else { return }
    var content = Content()
    content.fields = options.request.header.filter { field in !KeptSession.passing.contains { field.lowercased().hasPrefix($0) } }
    (content.user, content.bearer) = (options.login.user, options.login.bearer)
    content.cookies = CookieFile.text(storage.cookies ?? [])
    try Sidecar.save(content, path)
  }

  private static func name(_ field: String) -> String { field.prefix { $0 != ":" && $0 != ";" }.lowercased() }
}
