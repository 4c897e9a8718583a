import Foundation
import LoadingModel

/// Logins by host, as FTP's client had them: "machine NAME login USER password PASSWORD", and "default" for all other hosts.
struct NetrcFile: Sendable {
  private struct Entry: Sendable {
    /// nil for `default`.
    var machine: String?
    var user = ""
    var password = ""
  }

  private var entries: [Entry] = []
  private let scheme: LoginScheme

  /// The file that the options name; nil if they name none, or it may be missing and is.
  /// - Throws: If it can't be read.
  init?(_ options: LoginOptions) throws(ToolFailure) {
    guard options.readsNetrc else { return nil }
    let home = ProcessEnvironment.value("HOME") ?? ""
    let path = options.netrcFile ?? home + "/.netrc"
    guard let content = NamedContent.ofFile(path) else {
      if options.isNetrcOptional { return nil }
      throw ToolFailure(.readFailed, "\(path) can't be read for logins; make it, or name another with --netrc-file")
    }
    self.init(String(decoding: content, as: UTF8.self), scheme: options.scheme)
  }

  /// Pure.
  init(_ text: String, scheme: LoginScheme = .any) {
    self.scheme = scheme
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

  /// The login for a host; nil if the file has none.
  func login(for host: String) -> Login? {
    let host = host.lowercased()
    guard let entry = entries.first(where: { $0.machine == host }) ?? entries.first(where: { $0.machine == nil }),
      !entry.user.isEmpty || !entry.password.isEmpty
    else { return nil }
    return Login(user: entry.user, password: entry.password, scheme: scheme)
  }

  /// Words, in quotation marks where they have spaces; comments and macros left out.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var isMacro = false
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      var rest = line.drop { $0.isWhitespace }
      // A macro ends with an empty line.
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
