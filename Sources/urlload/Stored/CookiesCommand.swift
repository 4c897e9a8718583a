import ArgumentParser
import Foundation
import URLLoadingSystem

/// `urlload cookies`: lists and removes cookies that `--keep-cookies` has kept.
struct CookiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload cookies",
    abstract: "List and remove the cookies that --keep-cookies has kept.",
    discussion: "Values are logins and aren't shown unless asked for.",
    subcommands: [List.self, Remove.self],
    defaultSubcommand: List.self)

  /// `urlload cookies ls`: lists the kept cookies.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "List the cookies: domain, path, name, end.")

    @Flag(help: "Show the values too.")
    var values = false

    @Flag(help: "Write them as a cookie file in Netscape's format, values included: what -c and -b read.")
    var netscape = false

    @Argument(help: "Only those of these hosts and the domains above and below them.")
    var hosts: [String] = []

    func run() async throws {
      let cookies = CookiesCommand.cookies(of: hosts)
      if netscape {
        _ = Descriptor.writeAll(Data(CookieFile.text(cookies).utf8), to: STDOUT_FILENO)
        return
      }
      for cookie in cookies { StandardOutput.line(CookiesCommand.line(cookie, showsValue: values, now: Date())) }
      StandardOutput.line("\(cookies.count) cookie\(cookies.count == 1 ? "" : "s")")
    }
  }

  /// `urlload cookies rm`: removes kept cookies.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove the cookies of hosts, or all.")

    @Flag(help: "Remove all.")
    var all = false

    @Argument(help: "Hosts, whose cookies go with those of the domains above and below them.")
    var hosts: [String] = []

    mutating func validate() throws {
      if all != hosts.isEmpty { throw ValidationError("Name the hosts whose cookies to remove, or --all for all.") }
    }

    func run() async throws {
      if all {
        HTTPCookieStorage.shared.removeCookies(since: .distantPast)
      } else {
        for cookie in CookiesCommand.cookies(of: hosts) { HTTPCookieStorage.shared.deleteCookie(cookie) }
      }
    }
  }

  private static func cookies(of hosts: [String]) -> [HTTPCookie] {
    let wanted = hosts.map { $0.lowercased() }
    return (HTTPCookieStorage.shared.cookies ?? [])
      .filter { cookie in
        let domain = cookie.domain.drop { $0 == "." }.lowercased()
        return wanted.isEmpty || wanted.contains { domain == $0 || domain.hasSuffix(".\($0)") || $0.hasSuffix(".\(domain)") }
      }
      .sorted { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }
  }

  private static func line(_ cookie: HTTPCookie, showsValue: Bool, now: Date) -> String {
    let end = cookie.expiresDate.map { "ends in \(EntryText.span($0.timeIntervalSince(now)))" } ?? "ends with the session"
    let marks = (cookie.isSecure ? ["secure"] : []) + (cookie.isHTTPOnly ? ["HttpOnly"] : [])
    let name = showsValue ? "\(cookie.name)=\(cookie.value)" : cookie.name
    let text = [cookie.domain.alignedLeft(24), cookie.path, name, ([end] + marks).joined(separator: ", ")].joined(separator: "  ")
    return Printable.text(text)
  }
}
