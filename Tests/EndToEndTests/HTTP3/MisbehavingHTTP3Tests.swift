import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server in Python that breaks the rules of QUIC, HTTP/3 and QPACK frame by frame (`Tests/Servers/misbehaving-http3.py`): each misdeed
/// gives the right error once, the server is told the right one, and the session's next load succeeds.
@Suite(.timeLimit(.minutes(20))) struct MisbehavingHTTP3Tests {
  private typealias Outcome = MisbehavingServer.Outcome

  private static let python = Wire.hasHTTP3 ? PythonPeers.aioquic : nil

  private func check(_ cases: [MisbehavingServer.Case], method: String = "GET", body: Data? = nil) async throws {
    let script = PythonPeers.script("misbehaving-http3.py")
    try await MisbehavingServer.with(Self.python, script, { $0.httpVersions = .http3Only }) { server in
      try await server.check(cases, method: method, body: body)
    }
  }

  private func check(_ names: [String], _ outcome: Outcome, _ next: String) async throws {
    try await check(names.map { MisbehavingServer.Case($0, outcome, next) })
  }

  /// Misdeeds that end the connection, by the code that the server is told.
  private func check(_ close: String, _ names: [String: [String]], _ outcome: Outcome = .parse) async throws {
    try await check(names.flatMap { code, names in names.map { MisbehavingServer.Case($0, outcome, "2 \(close) \(code)") } })
  }

  /// RFC 9114, 4.1.2.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func malformedResponsesFailTheirStreamAlone() async throws {
    try await check(
      [
        "no-status", "two-statuses", "status-of-letters", "status-too-short", "request-pseudo-field", "unknown-pseudo-field",
        "late-pseudo-field", "uppercase-name", "connection-field", "transfer-encoding", "upgrade-field", "switching-protocols",
        "length-of-letters", "two-lengths", "status-in-trailers", "huge-head", "informational-end", "body-too-long", "no-body-of-length",
        "body-behind-trailers", "head-behind-trailers",
      ], .parse, "1…")
    try await check(["body-too-short"], .lost, "1…")
  }

  /// RFC 9114, 4.2.2, 10.5.1: their stream is given up at once, and the session's other loads don't notice.
  @Test(
    .enabled(if: python != nil, "aioquic isn't installed"),
    arguments: [
      "head-without-end", "trailers-without-end", "hint-without-end", "head-of-nothing-without-end", "trailers-of-nothing-without-end",
      "head-of-entries-without-end", "malformed-head-without-end",
    ])
  func sectionsWithoutEndEndTheirStream(_ name: String) async throws {
    let code = name.hasPrefix("malformed") ? "10e" : "107"
    let script = PythonPeers.script("misbehaving-http3.py")
    try await MisbehavingServer.with(Self.python, script, { $0.httpVersions = .http3Only }) { server in
      let (first, next) = try await server.meet(name)
      #expect(first == .parse)
      guard case .body(let text) = next else { return #expect(Bool(false), "\(next)") }
      // Over the same connection; the server was told why.
      #expect(text.hasPrefix("1 ") && text.contains("STOP_SENDING \(code)"), "\(text)")
    }
  }

  /// nghttp3 leaves out what is no field; the app sees none of it.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func fieldsThatAreNoneAreLeftOut() async throws {
    try await check(["empty-name", "space-in-name", "line-break-in-value", "nul-in-value"], .body(""), "1")
  }

  /// RFC 9114, 4.1.1, 5.2: what hasn't been processed is sent again.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func refusedRequestsAreSentAgainAndOthersAreNot() async throws {
    try await check([
      .init("refused", .body("1"), "1"), .init("goes-away-unasked", .body("2…"), "2…"),
      .init("goes-away-in-two-steps", .body("2…"), "2…"), .init("goes-away-and-answers", .body("processed"), "2"),
      .init("reset", .lost, "1"), .init("refused-after-its-head", .lost, "1"), .init("reset-in-the-body", .lost, "1"),
      .init("reset-and-then-its-body", .lost, "1"), .init("waits-for-an-entry-in-vain", .lost, "1…"),
      .init("closes-in-order", .lost, "2"), .init("closes-with-an-error", .lost, "2"), .init("closes-in-the-body", .lost, "2"),
      .init("forgets-its-state", .lost, "2"),
    ])
  }

  /// RFC 9114, 8.1.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func brokenRulesOfHTTP3EndTheConnection() async throws {
    try await check(
      "APPLICATION_CLOSE",
      [
        "103": ["second-control", "second-encoder", "second-decoder", "push-stream"],
        "104": [
          "control-ends", "encoder-ends", "decoder-ends", "control-is-reset", "encoder-is-reset", "decoder-is-reset",
          "control-ends-with-its-type",
        ],
        "105": [
          "nothing-at-all", "body-before-head", "settings-on-a-request", "farewell-on-a-request", "largest-push-on-a-request",
          "cancelled-push-on-a-request", "priority-of-http2", "ping-of-http2", "window-of-http2", "continuation-of-http2", "promise",
          "body-on-control", "head-on-control", "second-settings", "largest-push-of-a-server", "cancels-a-push-that-was-never-promised",
          "flood-of-cancelled-pushes",
        ],
        "106": ["frame-without-its-end", "head-without-its-end", "farewell-of-nothing", "half-a-setting"],
        "108": ["farewell-to-its-own-stream", "farewell-taken-back"],
        "109": ["setting-of-http2", "window-setting-of-http2"],
        "10a": ["speaks-before-its-settings"],
      ])
    // nghttp3 can't go on behind a value that is too long for it.
    try await check([.init("value-without-end", .parse, "2 APPLICATION_CLOSE 107")])
    try await check([.init("stops-clients-control", .parse, "2 RESET_STREAM 102 APPLICATION_CLOSE 104")])
  }

  /// RFC 9204, 6.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func brokenRulesOfQPACKEndTheConnection() async throws {
    try await check(
      "APPLICATION_CLOSE",
      [
        "101": ["entry-without-end"],
        "200": [
          "unknown-index", "index-into-an-empty-table", "needs-more-than-can-be", "base-below-nothing", "huffman-without-end",
          "section-without-its-end",
        ],
        "201": ["table-larger-than-allowed", "copies-what-is-not-there", "names-what-is-not-there", "entry-larger-than-its-table"],
        "202": ["acknowledges-no-section", "knows-of-entries-never-sent", "knows-of-nothing-more"],
      ])
  }

  /// RFC 9000, 20.1.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func brokenRulesOfQUICEndTheConnection() async throws {
    try await check(
      "CONNECTION_CLOSE",
      [
        "3": ["data-beyond-the-window", "reset-beyond-the-window", "offset-beyond-all-numbers", "data-beyond-the-window-of-all"],
        "4": ["stream-of-its-own", "more-streams-than-allowed"],
        "5": ["window-of-a-stream-of-its-own-unopened", "stops-what-it-never-saw", "data-on-the-clients-control"],
        "6": ["end-that-moves", "reset-before-what-was-sent", "data-behind-the-end"],
        "7": [
          "unknown-frame", "ping-of-two-bytes-and-nonsense", "stream-without-its-end", "empty-token", "acknowledges-below-zero",
          "too-many-streams-allowed", "id-of-no-bytes", "id-too-long", "id-that-retires-itself",
        ],
        "9": ["more-ids-than-allowed"],
        "a": ["acknowledges-the-future", "resets-the-clients-own-direction", "retires-what-was-never-given", "one-number-for-two-ids"],
      ])
    try await check("CONNECTION_CLOSE", ["10a": ["handshake-of-nonsense", "key-update-of-tls"]], .failed(.secureConnectionFailed))
  }

  /// RFC 9114, 10.5.
  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func floodsAreBorneOrCutOff() async throws {
    try await check(
      [
        "flood-of-unknown-frames", "flood-of-nothing", "flood-of-unknown-frames-in-a-response", "flood-of-table-sizes", "flood-of-streams",
        "flood-of-pings", "flood-of-challenges",
      ], .body("fine"), "1…")
    try await check([
      .init("flood-of-farewells", .body("fine"), "2…"), .init("flood-of-retired-ids", .parse, "2…"),
      .init("flood-of-informational-heads", .parse, "1…"),
    ])
  }

  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func unusualButAllowedIsBorne() async throws {
    try await check(
      [
        "unknown-frames", "trailers", "many-hints", "body-in-many-frames", "one-byte-at-a-time", "last-byte-first", "everything-twice",
        "end-in-a-frame-of-its-own", "dynamic-table", "table-behind-the-head", "datagram-of-nonsense", "packet-of-another-connection",
        "answers-no-challenge", "changes-its-keys", "setting-twice", "streams-that-end-within-their-types",
        "types-longer-than-they-need-be",
      ], .body("fine"), "1")
    try await check([
      .init("unknown-settings-and-streams", .body("fine"), "1…"), .init("farewell-longer-than-its-number", .body("fine"), "2"),
    ])
    try await check([.init("early-answer", .body("early"), "1…")], method: "POST", body: Data(count: 5_000_000))
  }
}
