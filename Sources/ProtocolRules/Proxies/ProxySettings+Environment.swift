import Foundation
import LoadingModel

// The environment's variables, with the meaning that curl, wget and most languages' libraries agree on.

extension ProxySettings {
  /// - Parameter value: The value of an environment variable; nil if it isn't set.
  package init(environment value: (String) -> String?) {
    func proxy(_ names: String...) -> Result<Proxy, LoadError>? {
      for name in names {
        if let text = value(name), !text.trimmingSpaces().isEmpty { return ProxyAddress.parse(text, named: "the environment's \(name)") }
      }
      return nil
    }
    // Not HTTP_PROXY: to a program run by a web server that is the request's field “Proxy”, chosen by its sender.
    if let plain = proxy("http_proxy") { entries.append(Entry([.plain], plain)) }
    if let secure = proxy("https_proxy", "HTTPS_PROXY") { entries.append(Entry([.secure], secure)) }
    if let ftp = proxy("ftp_proxy", "FTP_PROXY") { entries.append(Entry([.ftp], ftp)) }
    if let all = proxy("all_proxy", "ALL_PROXY") { entries.append(Entry(Set(Family.allCases), all)) }
    guard !entries.isEmpty else { return }
    exceptions.localHosts = true
    let list = value("no_proxy") ?? value("NO_PROXY") ?? ""
    exceptions.patterns = ProxySettings.noProxy(list)
  }

  /// The entries of a `no_proxy` list: separated by commas or spaces.
  package static func noProxy(_ list: String) -> [HostPattern] {
    list.split { $0 == "," || $0.isWhitespace }.compactMap { HostPattern(noProxy: String($0)) }
  }
}
