import Foundation
import LoadingModel

// The proxy settings of desktop environments, in the formats in which they are stored.

extension ProxySettings {
  /// - Parameter text: What `gsettings list-recursively org.gnome.system.proxy` prints: a schema, a key and a value on each line.
  package init(gsettings text: String) {
    self.init()
    let settings = GSettings(text)
    switch settings.text("mode") {
    case "manual":
      for (name, kind, families) in [
        ("http", Proxy.Kind.http, [.plain]), ("https", .http, [.secure]), ("ftp", .http, [.ftp]),
        ("socks", .socks5h, Set(Family.allCases)),
      ] as [(String, Proxy.Kind, Set<Family>)] {
        if let proxy = settings.proxy(name, kind) { entries.append(Entry(families, proxy)) }
      }
    case "auto": script = ProxySettings.script(settings.text("autoconfig-url") ?? "", named: "the desktop's settings")
    default: return
    }
    exceptions.localHosts = true
    exceptions.patterns = settings.list("ignore-hosts").compactMap { HostPattern(noProxy: $0) }
  }

  /// - Parameters:
  ///   - text: The content of KDE's file `kioslaverc`.
  ///   - value: Returns the value of an environment variable; nil if it isn't set. KDE's settings can name variables that have the proxies.
  package init(kioslaverc text: String, environment value: (String) -> String?) {
    self.init()
    let settings = KDEProxies(text)
    func proxy(_ key: String) -> Result<Proxy, LoadError>? {
      guard var written = settings[key] else { return nil }
      if settings["ProxyType"] == "4" {
        guard let meant = value(written), !meant.isEmpty else { return nil }
        written = meant
      }
      return KDEProxies.proxy(written, key)
    }
    switch settings["ProxyType"] {
    case "1", "4":
      for (key, families) in [
        ("httpProxy", [.plain]), ("httpsProxy", [.secure]), ("ftpProxy", [.ftp]), ("socksProxy", Set(Family.allCases)),
      ] as [(String, Set<Family>)] {
        if let proxy = proxy(key) { entries.append(Entry(families, proxy)) }
      }
    case "2": script = ProxySettings.script(settings["Proxy Config Script"] ?? "", named: "the desktop's settings")
    case "3": script = ProxySettings.script("", named: "the desktop's settings")
    default: return
    }
    exceptions.localHosts = true
    let written = settings["NoProxyFor"] ?? ""
    let patterns = ProxySettings.noProxy(settings["ProxyType"] == "4" ? value(written) ?? "" : written)
    // KDE's option “Use proxy settings only for addresses in the list”.
    if settings["ReversedException"]?.lowercased() == "true" {
      for index in entries.indices { entries[index].domains = patterns }
    } else {
      exceptions.patterns = patterns
    }
  }

  /// The settings if a desktop's can't be read. All loads fail with an error, because it is unknown whether they may connect directly.
  package static var unreadableDesktop: ProxySettings {
    var settings = ProxySettings()
    settings.script = .failure(
      unusable("the desktop's settings for proxies can't be read: gsettings doesn't answer; mend it, or set connectionProxyDictionary"))
    return settings
  }

  /// The proxy script that the desktop's user has named, by URL or file path. Empty text asks for automatic discovery, which isn't supported.
  private static func script(_ text: String, named name: String) -> Result<Script, LoadError> {
    guard !text.isEmpty else {
      return .failure(
        unusable("\(name) ask for automatic discovery of proxies, which isn't supported; name the script's URL there, or the proxy"))
    }
    guard let url = URL(string: text.hasPrefix("/") ? "file://" + text : text), let scheme = url.scheme?.lowercased(),
      ["http", "https", "file", "data"].contains(scheme)
    else { return .failure(unusable("\(name) name a proxy script by something other than an http, https or file URL; correct it")) }
    return .success(.url(url))
  }
}

/// The parsed output of `gsettings list-recursively org.gnome.system.proxy`.
private struct GSettings {
  /// Values by schema and key, without the common prefix of the schemas, such as "http.host".
  private var values: [String: String] = [:]

  private static let schema = "org.gnome.system.proxy"

  init(_ text: String) {
    for line in text.split(separator: "\n") where line.hasPrefix(GSettings.schema) {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { continue }
      let child = words[0].dropFirst(GSettings.schema.count)
      values[child.isEmpty ? words[1] : "\(child.dropFirst()).\(words[1])"] = words[2]
    }
  }

  /// The string value of a key. GVariant writes strings in single quotes, or in double ones if they contain a single one.
  func text(_ key: String) -> String? { values[key].flatMap { GSettings.strings($0).first } }

  func list(_ key: String) -> [String] { values[key].map(GSettings.strings) ?? [] }

  func proxy(_ name: String, _ kind: Proxy.Kind) -> Result<Proxy, LoadError>? {
    guard let host = text(name + ".host")?.trimmingSpaces(), !host.isEmpty else { return nil }
    let port = values[name + ".port"].flatMap { Int($0) } ?? 0
    guard let host = ProxyAddress.host(String(host)), 0...65_535 ~= port else {
      return .failure(ProxySettings.unusable("the desktop's settings name a proxy for \(name) that isn't a host and a port; correct them"))
    }
    var login: Proxy.Login?
    if name == "http", values["http.use-authentication"] == "true", let user = text("http.authentication-user"), !user.isEmpty {
      login = Proxy.Login(user: user, password: text("http.authentication-password") ?? "")
    }
    return .success(Proxy(kind, host: host, port: port == 0 ? kind.defaultPort : port, login: login))
  }

  /// All quoted strings in a GVariant value.
  private static func strings(_ value: String) -> [String] {
    var (strings, current, quote) = ([String](), "", Character?.none)
    var isEscaped = false
    for character in value {
      guard let open = quote else {
        if character == "'" || character == "\"" { (quote, current) = (character, "") }
        continue
      }
      if isEscaped {
        current.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == open {
        strings.append(current)
        quote = nil
      } else {
        current.append(character)
      }
    }
    return strings
  }
}

/// The group “Proxy Settings” of KDE's file `kioslaverc`.
private struct KDEProxies {
  private var values: [String: String] = [:]

  init(_ text: String) {
    var group = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingSpaces()
      if line.hasPrefix("[") { group = String(line) }
      guard group == "[Proxy Settings]", let equals = line.firstIndex(of: "=") else { continue }
      // An option in brackets may follow a key: “key[$e]”.
      let key = line[..<equals].prefix { $0 != "[" }
      values[String(key)] = String(line[line.index(after: equals)...].trimmingSpaces())
    }
  }

  subscript(key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

  /// Parses KDE's form of a proxy: “http://host port”, with a space before the port, or a colon.
  static func proxy(_ text: String, _ key: String) -> Result<Proxy, LoadError> {
    let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    let joined = words.count == 2 ? (words[0].hasSuffix("/") ? String(words[0].dropLast()) : words[0]) + ":" + words[1] : text
    let isSOCKS = key == "socksProxy" && !joined.contains("://")
    return ProxyAddress.parse(isSOCKS ? "socks://" + joined : joined, named: "the desktop's \(key)")
  }
}
