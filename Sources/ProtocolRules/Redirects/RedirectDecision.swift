import Foundation
import LoadingModel

/// What a response head means for the load: its end, another request, or a failure (RFC 9110, 15.4).
package enum RedirectDecision: Sendable {
  /// The response isn't a redirect to follow: the app gets it.
  case final
  /// The request to propose to the delegate, or to send if there is none to ask.
  case follow(LoadRequest)
  case fail(LoadError)

  /// - Parameters:
  ///   - request: The request that `head` answers, as the app made it, without fields that lower stages have added.
  ///   - url: The URL that was requested, to which a relative `Location` is resolved.
  ///   - hops: The number of redirects followed so far.
  ///   - limit: The most redirects that are followed; Apple documents 16. It ends loops as well: requesting the same URL twice is legal, since
  ///     the first response may have set a cookie.
  package static func decide(request: LoadRequest, head: ResponseHead, url: URL, hops: Int, limit: Int = 16) -> RedirectDecision {
    guard let change = MethodChange(status: head.status, method: request.method) else { return .final }
    let locations = head.headers.all("Location").map { $0.trimmingSpaces() }
    // Without a Location the response itself is the result, so the app gets it. curl and browsers treat an empty value in the same way.
    guard let location = locations.first, !location.isEmpty else { return .final }
    guard hops < limit else {
      return .fail(
        LoadError(.httpTooManyRedirects, .redirect, "more than \(limit) redirects: the server may be sending the load in circles"))
    }
    // RFC 9110, 5.3: Location isn't a list. Several different values are more often a response splitting attack than a mistake.
    guard locations.allSatisfy({ $0 == location }), let next = LocationRules.resolve(location, at: url) else {
      return .fail(LoadError(.redirectToNonExistentLocation, .redirect, "the redirect's Location field isn't a valid URL"))
    }
    // A server must not make the client read local files, or supply the content itself. Whether another scheme can be loaded is decided where the
    // protocol is chosen.
    if let scheme = next.scheme?.lowercased(), scheme == "file" || scheme == "data" {
      return .fail(
        LoadError(.unsupportedURL, .redirect, "a redirect to a \(scheme): URL isn't followed: load that URL directly if it is trusted"))
    }
    // A server must not make the client use another Unix socket of this machine: only other paths on the same socket are followed.
    if let path = Target(next)?.origin.socketPath, path != Target(url)?.origin.socketPath {
      return .fail(
        LoadError(.unsupportedURL, .redirect, "a redirect to a Unix socket isn't followed: load that URL directly if it is trusted"))
    }
    return .follow(proposed(request, change: leavesHTTP(next) ? .getWithoutBody : change, from: url, to: next))
  }

  /// Whether `url` has a scheme for which an HTTP method and a body have no meaning: the redirect is then followed by a GET without a body.
  ///
  /// RFC 9110 defines both for HTTP alone. At an FTP URL the body would be uploaded as a file, with the user's login, because an HTTP server says
  /// so. Like curl, this client only ever downloads after such a redirect.
  private static func leavesHTTP(_ url: URL) -> Bool {
    let scheme = url.scheme?.lowercased()
    return scheme == "ftp" || scheme == "ftps"
  }

  private enum MethodChange {
    case keep
    case getWithoutBody

    /// Nil if a redirect isn't followed because of `status` alone: 304 concerns the cache, 305 and 306 are obsolete.
    init?(status: Int, method: String) {
      switch status {
      // RFC 9110, 15.4.2 and 15.4.3: "a user agent MAY change the request method from POST to GET". All browsers do so,
      // and none for other methods.
      case 301, 302: self = method == "POST" ? .getWithoutBody : .keep
      // RFC 9110, 15.4.4: "a retrieval request targeting that URI (a GET or HEAD request if using HTTP)".
      case 303: self = method == "GET" || method == "HEAD" ? .keep : .getWithoutBody
      // RFC 9110, 15.4.8: "the user agent MUST NOT change the request method"; 308 is its permanent form. 15.4.1: a 300 may be followed if it has
      // a Location.
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

  /// Whether scheme, host or port differ (RFC 6454, 5), or one of the URLs has no origin. `ws` and `wss` count as `http` and `https`, whose
  /// request opens a WebSocket (RFC 6455, 4.1).
  private static func crossesOrigins(from url: URL, to next: URL) -> Bool {
    guard let here = Target(url)?.origin, let there = Target(next)?.origin else { return true }
    return here.ofHTTP != there.ofHTTP
  }

  /// Whether the redirected request keeps the app's header field. `Referer` is kept as the app set it and never added.
  private static func carries(_ name: String, bodyIsDropped: Bool, crossesOrigins: Bool) -> Bool {
    // RFC 9110, 15.4, step 2: "Origin-specific header fields, including (but not limited to) the Host header field" are replaced.
    if name.isField("host") { return false }
    // RFC 9110, 15.4, step 3: fields with security implications, "this includes but is not limited to Authorization and Cookie". To the same
    // origin they are sent again, which saves the round trip of a challenge: apps that sign their requests rely on it.
    if crossesOrigins, let field = KnownField(name), field.isCredential { return false }
    // RFC 9110, 15.4, step 5: "If the request method has been changed to GET or HEAD, remove content-specific header fields".
    return !bodyIsDropped || !describesContent(name)
  }

  private static func describesContent(_ name: String) -> Bool {
    let prefix = name.utf8.prefix(8)
    if prefix.count == 8, String(Substring(prefix)).isField("content-") { return true }
    return name.isField("transfer-encoding") || name.isField("trailer") || name.isField("expect") || name.isField("digest")
      || name.isField("repr-digest") || name.isField("last-modified")
  }
}
