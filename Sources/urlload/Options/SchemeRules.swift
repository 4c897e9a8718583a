import Foundation

/// Which options of a request can be used with URLs of other schemes than HTTP's. Pure.
enum SchemeRules {
  /// Why a request can't be made; nil if it can.
  ///
  /// Methods and bodies belong to HTTP. With other schemes they would be ignored silently, or overwrite a file on an FTP server: there and with file:
  /// URLs, only `-T` stores something.
  static func refusal(of options: RequestOptionValues, _ content: SentContent, for url: URL) -> ToolFailure? {
    let scheme = url.scheme?.lowercased() ?? ""
    let stores: Bool
    switch scheme {
    case "ftp", "ftps", "file": stores = true
    case "data": stores = false
    default: return nil
    }
    if scheme == "file", let host = url.host(), !isThisMachine(host) {
      return ToolFailure(
        .malformedURL, "a file: URL names files of this machine, not of \(host); leave the host out, as in file:///path")
    }
    let remedy = stores ? "-T stores a file there" : "it can only be read"
    if !options.conditions.isEmpty { return usage("-z and --etag-compare ask servers of HTTP; leave them out for a \(scheme): URL") }
    if options.sends == .upload { return stores ? nil : usage("-T can't store anything in a \(scheme): URL; \(remedy)") }
    if content != .none { return usage("data is sent to http: and https: URLs, not to a \(scheme): URL; \(remedy)") }
    if let method = options.method, method != "GET", method != "HEAD" {
      return usage("methods are HTTP's, and a \(scheme): URL has none; leave it out (\(remedy))")
    }
    return nil
  }

  /// Whether the host of a file: URL means this machine (RFC 8089, 2; 127.0.0.1 as in curl).
  private static func isThisMachine(_ host: String) -> Bool { ["", "localhost", "127.0.0.1"].contains(host.lowercased()) }

  private static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, message) }
}
