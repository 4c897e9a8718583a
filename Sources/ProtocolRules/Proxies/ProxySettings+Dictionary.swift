import Foundation
import LoadingModel

// Reads `URLSessionConfiguration.connectionProxyDictionary`, with Apple's keys.

extension ProxySettings {
  /// A value of the dictionary, of one of the types that the keys may have.
  package enum Value: Sendable {
    case number(Int)
    case text(String)
    case list([String])
    case other
  }

  package init(dictionary: [String: Value]) {
    self.init(ProxyDictionary(values: dictionary))
  }

  private init(_ dictionary: ProxyDictionary) {
    if dictionary.isEnabled("ProxyAutoDiscoveryEnable") {
      script = .failure(
        ProxySettings.unusable(
          "connectionProxyDictionary asks for ProxyAutoDiscoveryEnable, which isn't supported; name the script in ProxyAutoConfigURLString")
      )
    }
    if dictionary.isEnabled("ProxyAutoConfigEnable") { script = dictionary.script }
    // Entries for one kind of URL come before SOCKS, which is for all.
    if let plain = dictionary.proxy("HTTP", port: 80) { entries.append(Entry([.plain], plain)) }
    if let secure = dictionary.proxy("HTTPS", port: 443) { entries.append(Entry([.secure], secure)) }
    if let ftp = dictionary.proxy("FTP", port: 80) { entries.append(Entry([.ftp], ftp)) }
    if let socks = dictionary.socks { entries.append(Entry(Set(Family.allCases), socks)) }
    exceptions.simpleNames = dictionary.isEnabled("ExcludeSimpleHostnames")
    guard case .list(let patterns)? = dictionary.values["ExceptionsList"] else { return }
    exceptions.patterns = patterns.compactMap { HostPattern(exception: $0) }
  }
}

/// Reads the dictionary's entries. An error names the key whose value is missing or of the wrong type.
private struct ProxyDictionary {
  let values: [String: ProxySettings.Value]

  func isEnabled(_ key: String) -> Bool {
    switch values[key] {
    case .number(let number)?: number != 0
    case .text(let text)?: Int(text).map { $0 != 0 } ?? false
    case .list?, .other?, nil: false
    }
  }

  /// The proxy that the dictionary sets for one kind of URL; nil if it isn't enabled.
  func proxy(_ name: String, port: Int) -> Result<Proxy, LoadError>? {
    guard isEnabled(name + "Enable") else { return nil }
    return place(name, port).map { Proxy(.http, host: $0.host, port: $0.port, login: login("kCFProxyUsernameKey", "kCFProxyPasswordKey")) }
  }

  var socks: Result<Proxy, LoadError>? {
    guard isEnabled("SOCKSEnable") else { return nil }
    let kind: Proxy.Kind = text("kCFStreamPropertySOCKSVersion") == "kCFStreamSocketSOCKSVersion4" ? .socks4a : .socks5h
    let login =
      login("kCFStreamPropertySOCKSUser", "kCFStreamPropertySOCKSPassword") ?? login("kCFProxyUsernameKey", "kCFProxyPasswordKey")
    return place("SOCKS", 1080).map { Proxy(kind, host: $0.host, port: $0.port, login: login) }
  }

  var script: Result<ProxySettings.Script, LoadError> {
    if let source = text("ProxyAutoConfigJavaScript") { return .success(.source(source)) }
    guard let text = text("ProxyAutoConfigURLString") else {
      return fault("ProxyAutoConfigEnable is set but neither ProxyAutoConfigURLString nor ProxyAutoConfigJavaScript is")
    }
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
      return fault("ProxyAutoConfigURLString isn't a URL")
    }
    guard scheme == "http" || scheme == "https" || scheme == "data" else {
      return fault("ProxyAutoConfigURLString has the scheme “\(scheme)”; only http, https and data are allowed")
    }
    return .success(.url(url))
  }

  private func place(_ name: String, _ defaultPort: Int) -> Result<(host: String, port: Int), LoadError> {
    guard let text = text(name + "Proxy") else { return fault("\(name)Enable is set but \(name)Proxy isn't a host") }
    guard let host = ProxyAddress.host(text) else {
      return fault("\(name)Proxy isn't a host; give a name or address alone, and the port as \(name)Port")
    }
    switch values[name + "Port"] {
    case nil: return .success((host, defaultPort))
    case .number(let port)? where 1...65_535 ~= port: return .success((host, port))
    case .text(let text)?:
      if let port = UInt16(text), port > 0 { return .success((host, Int(port))) }
      return fault("\(name)Port isn't a number in 1…65535")
    case .number?, .list?, .other?: return fault("\(name)Port isn't a number in 1…65535")
    }
  }

  private func login(_ userKey: String, _ passwordKey: String) -> Proxy.Login? {
    guard let user = text(userKey), !user.isEmpty else { return nil }
    return Proxy.Login(user: user, password: text(passwordKey) ?? "")
  }

  private func text(_ key: String) -> String? {
    if case .text(let text)? = values[key] { text } else { nil }
  }

  private func fault<Success>(_ what: String) -> Result<Success, LoadError> {
    .failure(ProxySettings.unusable("connectionProxyDictionary can't be used: \(what)"))
  }
}
