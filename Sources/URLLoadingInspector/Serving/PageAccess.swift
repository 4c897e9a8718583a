#if Inspector
  import NIOHTTP1

  /// Decides which requests to the page's server are answered: only those of the page itself, and of a browser that was given its address. Has no
  /// side effects.
  ///
  /// The page shows what programs send and receive. Its server listens only on the loopback interface, but all users of the machine and all web pages
  /// in a browser can reach that; they don't know the token in the path. The check of `Host` defends against DNS rebinding, a foreign name that
  /// resolves to 127.0.0.1.
  struct PageAccess: Sendable {
    enum Answer: Equatable {
      /// The request is allowed; its path after the token, and its query.
      case granted(path: String, query: String)
      case refused(status: Int, reason: String)
    }

    let token: String
    let port: Int

    /// A random token of 192 bits, in hexadecimal digits.
    static func makeToken() -> String {
      var generator = SystemRandomNumberGenerator()
      return (0..<3).map { _ in
        let digits = String(generator.next(upperBound: UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }

    /// Whether a text may be used as a token: at least 16 letters and digits.
    static func isToken(_ text: String) -> Bool {
      text.utf8.count >= 16
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
          default: false
          }
        }
    }

    func answer(_ head: HTTPRequestHead) -> Answer {
      let hosts = head.headers["Host"]
      guard hosts.count == 1, isOwn(hosts[0]) else { return .refused(status: 421, reason: "the Host isn't this server's") }
      let origins = head.headers["Origin"]
      guard origins.allSatisfy(isOwnOrigin) else { return .refused(status: 403, reason: "the Origin isn't this page") }
      let sites = head.headers["Sec-Fetch-Site"]
      guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
        return .refused(status: 403, reason: "another site asks for it")
      }
      guard head.method == .GET || head.method == .POST else { return .refused(status: 405, reason: "the method isn't GET or POST") }
      // Browsers send an `Origin` with every POST from a form or script, so a POST without one doesn't come from the page.
      guard head.method == .GET || origins.count == 1 else { return .refused(status: 403, reason: "a POST needs an Origin") }
      let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let path = parts.first ?? ""
      guard path.utf8.first == UInt8(ascii: "/") else { return .refused(status: 400, reason: "the target isn't a path") }
      let rest = path.dropFirst()
      let given = rest.prefix { $0 != "/" }
      guard PageAccess.isEqual(given, token) else { return .refused(status: 404, reason: "there is nothing here") }
      guard given.endIndex < rest.endIndex else { return .refused(status: 404, reason: "there is nothing here") }
      return .granted(path: String(rest[given.endIndex...].dropFirst()), query: parts.count > 1 ? String(parts[1]) : "")
    }

    private func isOwn(_ host: String) -> Bool {
      switch host.lowercased() {
      case "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)": true
      // Browsers leave out the port in `Host` and `Origin` if it is http's (RFC 9110, 4.2.3).
      case "127.0.0.1", "localhost", "[::1]": port == 80
      default: false
      }
    }

    private func isOwnOrigin(_ origin: String) -> Bool {
      guard origin.lowercased().hasPrefix("http://") else { return false }
      return isOwn(String(origin.dropFirst("http://".count)))
    }

    /// Compares all bytes, wherever the first difference is, so that the duration reveals nothing about the token.
    static func isEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
      guard left.utf8.count == right.utf8.count else { return false }
      var difference: UInt8 = 0
      for (a, b) in zip(left.utf8, right.utf8) { difference |= a ^ b }
      return difference == 0
    }
  }
#endif
