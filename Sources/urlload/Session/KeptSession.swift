import Foundation
import LoadingModel
import URLLoadingSystem

/// `--session NAME`: keeps cookies, header fields and login from run to run, in a file for the first URL's host, or in one whose path is given. Fields
/// and login are kept for the servers of the URLs that they were given with, and sent to no others.
struct KeptSession: Sendable {
  /// What is kept for one server.
  private struct Share: Codable, Equatable {
    var fields: [String] = []
    var user: String?
    var bearer: String?
  }

  private struct Content: Codable {
    /// By the servers' names (`ServerTable`); nil in files of older versions, which don't say to which server the following three belong.
    var servers: [String: Share]?
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
  private let urls: [URL]
  private let shares: ServerTable<Share>
  private let cookies: String
  /// What the user is told about a file whose fields and login aren't used; nil for nothing.
  let complaint: ToolFailure?

  /// The session that the options name; nil if they name none.
  /// - Throws: If its file can't be read.
  init?(_ options: StorageOptions, urls: [String]) throws(ToolFailure) {
    guard let name = options.session else { return nil }
    path = try KeptSession.path(name, urls.first.flatMap { URL(string: $0) })
    isReadOnly = options.readsSessionOnly
    self.urls = urls.compactMap(PercentEncoding.url)
    var content = Content()
    if FileManager.default.fileExists(atPath: path) {
      guard let found = Sidecar.load(Content.self, path) else {
        throw ToolFailure(.readFailed, "\(path) can't be read as a session; move it away to begin a new one")
      }
      content = found
    }
    cookies = content.cookies
    var shares = ServerTable(content.servers ?? [:])
    let old = Share(fields: content.fields, user: content.user, bearer: content.bearer)
    // A file of an older version lies in a folder of its host, unless its path was given: then any server might get another's login.
    let isUnassigned = content.servers == nil && old != Share() && name.contains("/")
    if content.servers == nil, old != Share(), !isUnassigned { shares.set(old, for: self.urls.first) }
    self.shares = shares
    complaint =
      isUnassigned
      ? ToolFailure(.other, "\(path) doesn't say which server its login and header fields are for, so they aren't sent; give them again")
      : nil
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

  /// The kept header fields, by server.
  var fields: ServerTable<[HeaderArgument]> {
    shares.mapValues { share in share.fields.filter { !KeptSession.isPassing($0) }.compactMap(HeaderArgument.init) }
  }

  /// The kept logins, by server; none if the command line has one.
  /// - Parameter ask: Asks the user for the password of a login for one of the run's servers, if it was kept without one.
  /// - Throws: If the password has to be asked for, and there is no terminal.
  func logins(
    besides options: LoginOptions, ask: (String) throws(ToolFailure) -> String
  ) throws(ToolFailure) -> ServerTable<KeptLogin> {
    var logins = ServerTable<KeptLogin>()
    guard options.user == nil, options.bearer == nil else { return logins }
    for url in urls where logins[url] == nil {
      guard let share = shares[url] else { continue }
      var options = options
      options.user = share.user
      logins.set(KeptLogin(login: try Login(options, ask: ask), bearer: share.bearer), for: url)
    }
    return logins
  }

  /// Sets the kept cookies in a storage, before those of the command line are set.
  func fill(_ storage: HTTPCookieStorage) {
    for cookie in CookieFile.cookies(in: cookies, now: Date()) { storage.setCookie(cookie) }
  }

  /// Writes the session to its file, which only its owner can read.
  func save(_ options: LoadOptions, _ storage: HTTPCookieStorage) throws(ToolFailure) {
    guard !isReadOnly else { return }
    let given = options.request.header.filter { !KeptSession.isPassing($0) }
    let names = Set(given.map(KeptSession.name))
    var shares = shares
    for url in urls {
      var share = self.shares[url] ?? Share()
      share.fields = share.fields.filter { !names.contains(KeptSession.name($0)) } + given
      if options.login.user != nil || options.login.bearer != nil {
        (share.user, share.bearer) = (options.login.user, options.login.bearer)
      }
      if share != Share() { shares.set(share, for: url) }
    }
    try Sidecar.save(Content(servers: shares.values, cookies: CookieFile.text(storage.cookies ?? [])), path)
  }

  private static func isPassing(_ field: String) -> Bool { passing.contains { field.lowercased().hasPrefix($0) } }

  private static func name(_ field: String) -> String { field.prefix { $0 != ":" && $0 != ";" }.lowercased() }
}
