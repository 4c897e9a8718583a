import Foundation
import LoadingModel

/// What a response head means for the load: its end, another request, or a failure (RFC 9110, 15.4).
package enum RedirectDecision: Sendable {
  /// Not a redirect: the response belongs to the app.
  case final
  /// The request to propose to the delegate, or to send where there is none to ask.
  case follow(LoadRequest)
  case fail(LoadError)

  /// - Parameters:
  ///   - request: The request that `head` answers, as the app made it: fields that stages below added don't count.
  ///   - url: The URL that was asked, base of a relative `Location`.
  ///   - hops: Redirects followed so far.
  ///   - limit: Redirects that may be followed. Apple documents 16. A loop ends here as well: asking the same URL twice is legal, since the
  ///     first answer may have set a cookie.
  package static func decide(request: LoadRequest, head: ResponseHead, url: URL, hops: Int, limit: Int = 16) -> RedirectDecision {
    guard let change = MethodChange(status: head.status, method: request.method) else { return .final }
    let locations = head.headers.all("Location").map { $0.trimmingSpaces() }
    // Without a place to go the response is all there is, so the app gets it. An empty value means the same to curl and browsers.
    guard let location = locations.first, !location.isEmpty else { return .final }
    guard hops < limit else {
      return .fail(
        LoadError(.httpTooManyRedirects, .redirect, "more than \(limit) redirects: the server may be sending the load in circles"))
    }
    // RFC 9110, 5.3: Location isn't a list. Several that differ are a response splitting attack more often than a mistake.
    guard locations.allSatisfy({ $0 == location }), let next = LocationRules.resolve(location, at: url) else {
      return .fail(LoadError(.redirectToNonExistentLocation, .redirect, "the redirect's Location field isn't a valid URL"))
    }
    // A server must not make the client read local files or supply the page itself. Whether there is a protocol for any other scheme is
    // decided where protocols are chosen.
    if let scheme = next.scheme?.lowercased(), scheme == "file" || scheme == "data" {
      return .fail(
        LoadError(.unsupportedURL, .redirect, "a redirect to a \(scheme): URL isn't followed: load that URL directly if it is trusted"))
    }
    // Nor reach for this machine's sockets: it is redirected to another path of the one that it listens on.
    if let path = Target(next)?.origin.socketPath, path != Target(url)?.origin.socketPath {
      return .fail(
        LoadError(.unsupportedURL, .redirect, "a redirect to a Unix socket isn't followed: load that URL directly if it is trusted"))
    }
    return .follow(proposed(request, change: leavesHTTP(next) ? .getWithoutBody : change, from: url, to: next))
  }

  /// Whether the method, and what it does with a body, mean nothing at `url`.
  ///
  /// RFC 9110 defines both for HTTP alone. At an FTP URL a body would be stored in the place of a file, with the user's login there, because
  /// an HTTP server says so: such a redirect only ever fetches, as curl's does.
  private static func leavesHTTP(_ url: URL) -> Bool {
    let scheme = url.scheme?.lowercased()
    return scheme == "ftp" || scheme == "ftps"
  }

  private enum MethodChange {
    case keep
    case getWithoutBody

    /// Nil if `status` isn't one that redirects by itself: 304 is about the cache, 305 and 306 are obsolete.
    init?(status: Int, method: String) {
      switch status {
      // RFC 9110, 15.4.2 and 15.4.3: "a user agent MAY change the request method from POST to GET". All browsers do so,
      // and none for other methods.
      case 301, 302: self = method == "POST" ? .getWithoutBody : .keep
      // 15.4.4: "a retrieval request targeting that URI (a GET or HEAD request if using HTTP)".
      case 303: self = method == "GET" || method == "HEAD" ? .keep : .getWithoutBody
      // 15.4.8: "the user agent MUST NOT change the request method"; 308 is its permanent form.
      // 15.4.1: a 300 may be followed if it has a Location.
      case 300, 307, 308: self = .keep
      default: return nil
      }
    }
  }

  private static func proposed(_ request: LoadRequest, change: MethodChange, from url: URL, to next: URL) -> LoadRequest {
    let crosses = crossesOrigins(from: url, to: next)
    var result = request
    result.mutate { fields in
      fields.url = next
      if change == .getWithoutBody {
        if fields.method != "HEAD" { fields.method = "GET" }
        fields.body = .none
      }
      let entries = fields.headers.entries.filter {
        carries($0.name, bodyIsDropped: change == .getWithoutBody, crossesOrigins: crosses)
      }
      fields.headers = HeaderFields(entries)
      if crosses { fields.attachedCookies = [] }
    }
    return result
  }

  /// Scheme, host and port (RFC 6454, 5). Where one of the URLs has no such origin the answer is yes. A WebSocket's server is that of the
  /// HTTP request which opens it (RFC 6455, 4.1), whichever of the two schemes a redirect spells.
  private static func crossesOrigins(from url: URL, to next: URL) -> Bool {
    guard let here = Target(url)?.origin, let there = Target(next)?.origin else { return true }
    return here.ofHTTP != there.ofHTTP
  }

  /// Whether the redirected request has the app's header field. `Referer` is carried as the app set it and never added.
  private static func carries(_ name: String, bodyIsDropped: Bool, crossesOrigins: Bool) -> Bool {
    // RFC 9110, 15.4, step 2: "Origin-specific header fields, including (but not limited to) the Host header field" are replaced.
    if name.isField("host") { return false }
    // 15.4, step 3: fields with security implications, "this includes but is not limited to Authorization and Cookie". To the origin they
    // were set for they are sent again, which saves a round trip through a challenge: an app that signs its requests relies on it.
    if crossesOrigins, let field = KnownField(name), field.isCredential { return false }
    // 15.4, step 5: "If the request method has been changed to GET or HEAD, remove content-specific header fields".
    return !bodyIsDropped || !describesContent(name)
  }

  private static func describesContent(_ name: String) -> Bool {
    let prefix = name.utf8.prefix(8)
    if prefix.count == 8, String(Substring(prefix)).isField("content-") { return true }
    return name.isField("transfer-encoding") || name.isField("trailer") || name.isField("expect") || name.isField("digest")
      || name.isField("repr-digest") || name.isField("last-modified")
  }
}
