import Foundation
import LoadingModel

/// Logins by host, in the netrc format of FTP clients: "machine NAME login USER password PASSWORD", and "default" for all other hosts.
struct NetrcFile: Sendable {
  private struct Entry: Sendable {
    /// The host; nil for `default`.
    var machine: String?
    var user = ""
    var password = ""
  }

  private var entries: [Entry] = []
  private let scheme: LoginScheme
  /// Whether a password in the URL takes precedence over the file (`--netrc-optional`).
  private let yieldsToURL: Bool

  /// Reads the file that the options name; nil if they name none. With `--netrc-optional`, a missing file has no logins.
  /// - Throws: If the file can't be read.
  init?(_ options: LoginOptions) throws(ToolFailure) {
    guard options.readsNetrc else { return nil }
    let home = ProcessEnvironment.value("HOME") ?? ""
    let path = options.netrcFile ?? home + "/.netrc"
    let content = NamedContent.ofFile(path)
    if content == nil, !options.isNetrcOptional {
      throw ToolFailure(.readFailed, "\(path) can't be read for logins; make it, or name another with --netrc-file")
    }
    self.init(String(decoding: content ?? Data(), as: UTF8.self), scheme: options.scheme, yieldsToURL: options.isNetrcOptional)
  }

  /// Parses the text of a file. Pure.
  init(_ text: String, scheme: LoginScheme = .any, yieldsToURL: Bool = false) {
    (self.scheme, self.yieldsToURL) = (scheme, yieldsToURL)
    var words = NetrcFile.words(text)[...]
    while let word = words.popFirst() {
      switch word {
      case "machine": entries.append(Entry(machine: words.popFirst()?.lowercased() ?? ""))
      case "default": entries.append(Entry())
      case "login": if let user = words.popFirst(), !entries.isEmpty { entries[entries.count - 1].user = user }
      case "password": if let password = words.popFirst(), !entries.isEmpty { entries[entries.count - 1].password = password }
      case "account": _ = words.popFirst()
      default: break
      }
    }
  }

  /// The login for a URL, chosen as by curl: the file's login for the URL's user, else the URL's own login; nil if neither has one.
  func login(for url: URL) -> Login? {
    guard let host = url.host() else { return nil }
    let (user, password) = (url.user(percentEncoded: false) ?? "", url.password(percentEncoded: false))
    guard !user.isEmpty || password != nil else { return login(for: host) }
    let own = Login(user: user, password: password ?? "", scheme: scheme)
    if yieldsToURL, password != nil { return own }
    return login(for: host, user: user.isEmpty ? nil : user) ?? own
  }

  /// The login for a host; nil if the file has none.
  /// - Parameter user: The user; nil for the first entry with a password. An entry without a user is for all users.
  func login(for host: String, user: String? = nil) -> Login? {
    let host = host.lowercased()
    var found = entries.filter { $0.machine == host }
    if found.isEmpty { found = entries.filter { $0.machine == nil } }
    found.removeAll { $0.user.isEmpty && $0.password.isEmpty || user != nil && !$0.user.isEmpty && $0.user != user }
    guard let entry = found.first(where: { !$0.password.isEmpty }) ?? found.first else { return nil }
    return Login(user: user ?? entry.user, password: entry.password, scheme: scheme)
  }

  /// Splits the text into words; a word with spaces is in quotation marks. Comments and macros are left out.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var isMacro = false
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      var rest = line.drop { $0.isWhitespace }
      // A macro definition ends at an empty line.
      if isMacro {
        isMacro = !rest.isEmpty
        continue
      }
      while let first = rest.first, first != "#" {
        var word = ""
        if first == "\"" {
          rest = rest.dropFirst()
          while let character = rest.popFirst(), character != "\"" {
            word.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
          }
        } else {
          word = String(rest.prefix { !$0.isWhitespace })
          rest = rest.dropFirst(word.count)
        }
        if word == "macdef" {
          isMacro = true
          break
        }
        words.append(word)
        rest = rest.drop { $0.isWhitespace }
      }
    }
    return words
  }
}
