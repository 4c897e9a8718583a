import Foundation
import LoadingModel

// Reads the environment's variables for proxies, with the meaning on which curl, wget and most languages' libraries agree.

extension ProxySettings {
  /// - Parameter value: Returns the value of an environment variable; nil if it isn't set.
  package init(environment value: (String) -> String?) {
    func proxy(_ names: String...) -> Result<Proxy, LoadError>? {
      for name in names {
        if let text = value(name), !text.trimmingSpaces().isEmpty { return ProxyAddress.parse(text, named: "the environment's \(name)") }
      }
      return nil
    }
    // HTTP_PROXY in upper case is ignored: for a CGI program it has the value of the request's field “Proxy”, which the sender chooses.
    if let plain = proxy("http_proxy") { entries.append(Entry([.plain], plain)) }
    if let secure = proxy("https_proxy", "HTTPS_PROXY") { entries.append(Entry([.secure], secure)) }
    if let ftp = proxy("ftp_proxy", "FTP_PROXY") { entries.append(Entry([.ftp], ftp)) }
    if let all = proxy("all_proxy", "ALL_PROXY") { entries.append(Entry(Set(Family.allCases), all)) }
    guard !entries.isEmpty else { return }
    exceptions.localHosts = true
    let list = value("no_proxy") ?? value("NO_PROXY") ?? ""
    exceptions.patterns = ProxySettings.noProxy(list)
  }

  /// The entries of a `no_proxy` list, which are separated by commas or spaces.
  package static func noProxy(_ list: String) -> [HostPattern] {
    list.split { $0 == "," || $0.isWhitespace }.compactMap { HostPattern(noProxy: String($0)) }
  }
}
