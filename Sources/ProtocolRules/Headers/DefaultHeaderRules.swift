import Foundation
import LoadingModel

/// The header fields of a request as they are sent in HTTP/1.1, and its framing.
package struct OutgoingHead: Sendable {
  /// The header fields in the order of sending, `Host` first.
  package var fields: HeaderFields
  /// How the body is delimited; `fields` already has the field that announces it.
  package var framing: BodyFraming
  /// Whether the app asked for `Connection: close`: the connection isn't used again.
  package var closesConnection: Bool
  /// Whether the body waits for 100 (Continue) (RFC 9110, 10.1.1).
  package var expectsContinue: Bool
}

/// Turns a request into the head that is sent. The request's fields take precedence over the session's additional headers, and both over the
/// loader's defaults.
///
/// Runs once per request on its event loop: it passes once over the request's fields and uses no dictionary.
package enum DefaultHeaderRules {
  /// - Parameters:
  ///   - target: The parsed URL of the request.
  ///   - bodyLength: The length in bytes of a file or stream body; nil if unknown.
  ///   - hasLeftOrigin: Whether a redirect has crossed origins. The credentials and the `Host` among the session's additional headers are then
  ///     left out: they were meant for the first origin, like those of the request, which the redirect has removed.
  /// - Throws: `badURL` for a method or field that can't be sent, `dataLengthExceedsMaximum` for a body on GET.
  package static func outgoing(
    _ request: LoadRequest, target: Target, defaults: SessionHeaderDefaults, bodyLength: Int64? = nil, hasLeftOrigin: Bool = false
  ) throws(LoadError) -> OutgoingHead {
    if let invalid = defaults.invalidField { throw invalid }
    try MethodRules.check(request.method)
    guard FieldSyntaxRules.isRequestTarget(target.pathAndQuery), FieldSyntaxRules.isHostValue(target.authority) else {
      throw LoadError(.badURL, .send, "the URL has characters that can't be sent: percent-encode them")
    }
    var head = HeadDraft(authority: target.authority, capacity: request.headers.count + defaults.additional.count + 8)
    for (name, value) in request.headers.entries { try head.addGiven(name, value) }
    head.addAdditional(defaults, given: request.headers, hasLeftOrigin: hasLeftOrigin)
    let framing = try BodyFraming.decide(
      method: request.method, body: request.body, knownLength: bodyLength, announcedLength: head.announcedLength.value)
    head.addFraming(framing, method: request.method)
    head.addDefaults(defaults, secure: target.origin.isSecure)
    return OutgoingHead(
      fields: HeaderFields(head.finished()), framing: framing, closesConnection: head.wantsClose, expectsContinue: head.expectsContinue)
  }

  static func checkHost(_ value: String) throws(LoadError) {
    guard FieldSyntaxRules.isHostValue(value) else {
      throw LoadError(.badURL, .send, "the value of the header field \"Host\" isn't a host with an optional port: correct or remove it")
    }
  }
}

/// Builds the header fields of one request; lives for one call of `outgoing`.
private struct HeadDraft {
  /// The app's `Content-Length`; several that differ, or one that isn't a number, count as none.
  enum AnnouncedLength {
    case none
    case some(Int64)
    case contradictory

    var value: Int64? {
      if case .some(let length) = self { length } else { nil }
    }
  }

  private var entries: [HeaderFields.Entry] = []
  private var present = KnownFieldSet()
  private var acceptsTrailers = false
  private(set) var wantsClose = false
  private var wantsContinue = false
  private(set) var expectsContinue = false
  private(set) var announcedLength = AnnouncedLength.none

  init(authority: String, capacity: Int) {
    entries.reserveCapacity(capacity)
    // RFC 9110, 7.2: "A user agent that sends Host SHOULD send it as the first field in the header section of a request."
    entries.append(("Host", authority))
    entries.append(("Connection", "keep-alive"))
  }

  mutating func addGiven(_ name: String, _ value: String) throws(LoadError) {
    try FieldSyntaxRules.checkField(name: name, value: value)
    guard let field = KnownField(name) else {
      entries.append((name, value))
      return
    }
    switch field {
    case .host:
      // RFC 9112, 3.2: a server refuses a request with more than one Host; the first one counts.
      if !present.contains(.host) {
        try DefaultHeaderRules.checkHost(value)
        entries[0].value = value
      }
    case .connection: if HeaderFields([(name, value)]).listContains("connection", token: "close") { wantsClose = true }
    case .contentLength: announce(value)
    // Only "trailers" asks for nothing that this client can't do; with another value the server could use a transfer coding that it doesn't know.
    case .te: acceptsTrailers = acceptsTrailers || value.trimmingSpaces().equalsIgnoringCase("trailers")
    case .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .trailer, .transferEncoding, .upgrade, .wwwAuthenticate:
      break
    case .expect where HeaderFields([(name, value)]).listContains("expect", token: "100-continue"): wantsContinue = true
    case .accept, .acceptEncoding, .acceptLanguage, .authorization, .contentType, .cookie, .expect, .range, .userAgent:
      entries.append((name, value))
    }
    present.insert(field)
  }

  private mutating func announce(_ value: String) {
    let length = FieldSyntaxRules.decimal(value.trimmingSpaces().utf8)
    switch (announcedLength, length) {
    case (.none, let length?): announcedLength = .some(length)
    case (.some(let first), let length?) where first == length: break
    case (.none, _), (.some, _), (.contradictory, _): announcedLength = .contradictory
    }
  }

  mutating func addAdditional(_ defaults: SessionHeaderDefaults, given: HeaderFields, hasLeftOrigin: Bool) {
    let own = present
    for field in defaults.additional {
      guard let known = field.known else {
        if !given.entries.contains(where: { $0.name.utf8.count == field.name.utf8.count && $0.name.equalsIgnoringCase(field.name) }) {
          entries.append((field.name, field.value))
        }
        continue
      }
      if own.contains(known) || (hasLeftOrigin && (known.isCredential || known == .host)) { continue }
      if known == .host { entries[0].value = field.value } else { entries.append((field.name, field.value)) }
      present.insert(known)
    }
  }

  mutating func addFraming(_ framing: BodyFraming, method: String) {
    switch framing {
    // RFC 9110, 10.1.1: "A client MUST NOT generate a 100-continue expectation in a request that does not include content."
    case .none, .length(0): expectsContinue = false
    case .length, .chunked: expectsContinue = wantsContinue
    }
    if expectsContinue { entries.append(("Expect", "100-continue")) }
    switch framing {
    case .none: return
    case .length(0):
      entries.append(("Content-Length", "0"))
      return
    case .length(let length): entries.append(("Content-Length", String(length)))
    case .chunked: entries.append(("Transfer-Encoding", "chunked"))
    }
    // The same default as Apple's loader has: for POST alone, whatever form a body has that isn't empty.
    if method == "POST", !present.contains(.contentType) {
      entries.append(("Content-Type", "application/x-www-form-urlencoded"))
    }
  }

  mutating func addDefaults(_ defaults: SessionHeaderDefaults, secure: Bool) {
    if !present.contains(.accept) { entries.append(("Accept", "*/*")) }
    if !present.contains(.userAgent), let userAgent = defaults.userAgent { entries.append(("User-Agent", userAgent)) }
    if !present.contains(.acceptLanguage), let language = defaults.acceptLanguage { entries.append(("Accept-Language", language)) }
    if !present.contains(.acceptEncoding) {
      // RFC 9110, 14.2: a range counts the bytes of the encoded form. The app counts decoded ones, and a piece from the middle of a gzip stream
      // can't be decoded; so a request for a range asks for "identity", as the Fetch standard requires of browsers.
      let codings = present.contains(.range) ? "identity" : secure ? defaults.acceptEncoding.secure : defaults.acceptEncoding.plain
      entries.append(("Accept-Encoding", codings))
    }
    if acceptsTrailers { entries.append(("TE", "trailers")) }
  }

  func finished() -> [HeaderFields.Entry] {
    guard wantsClose || acceptsTrailers else { return entries }
    var result = entries
    // RFC 9110, 10.1.4: the sender of TE "MUST also send a TE connection option".
    result[1].value = (wantsClose ? "close" : "keep-alive") + (acceptsTrailers ? ", TE" : "")
    return result
  }
}
