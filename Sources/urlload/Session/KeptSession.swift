import Foundation
import LoadingModel
import URLLoadingSystem

/// `--session NAME`: cookies, header fields and login that are kept from run to run, for the host of the first URL or in a file of one's own.
struct KeptSession: Sendable {
  private struct Content: Codable {
    var fields: [String] = []
    var user: String?
    var bearer: String?
    /// In Netscape's format.
    var cookies = ""
  }

  /// Fields that belong to one request.
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

  /// What is kept comes before what the command line says.
  func apply(to options: inout LoadOptions) {
    let given = Set(options.request.header.map(KeptSession.name))
    options.request.header = content.fields.filter { !given.contains(KeptSession.name($0)) } + options.request.header
    guard options.login.user == nil, options.login.bearer == nil else { return }
    (options.login.user, options.login.bearer) = (content.user, content.bearer)
  }

  /// Puts the kept cookies into a storage that is to be given those of the command line behind them.
  func fill(_ storage: HTTPCookieStorage) {
    for cookie in CookieFile.cookies(in: content.cookies, now: Date()) { storage.setCookie(cookie) }
  }

  /// Writes the session; only its owner can read it.
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
