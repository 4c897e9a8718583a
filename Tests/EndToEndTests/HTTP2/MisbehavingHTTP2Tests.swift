import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server in Python that breaks the rules of HTTP/2 frame by frame (`Tests/Servers/misbehaving-http2.py`): each misdeed gives the right
/// error once, the server is told the right one, and the session's next load succeeds.
@Suite(.timeLimit(.minutes(20))) struct MisbehavingHTTP2Tests {
  private static let python = InstalledServer.find("python3")
  private static let script = PythonPeers.script("misbehaving-http2.py")
  private static let isUsable = python != nil && FileManager.default.fileExists(atPath: script)

  private typealias Outcome = MisbehavingServer.Outcome

  private func check(_ misdeeds: [(name: String, outcome: Outcome, next: String)], method: String = "GET", body: Data? = nil) async throws {
    try await MisbehavingServer.with(Self.python, Self.script) { server in
      try await server.check(misdeeds.map { MisbehavingServer.Case($0.name, $0.outcome, $0.next) }, method: method, body: body)
    }
  }

  /// RFC 9113, 8.1.1: "Clients MUST NOT accept a malformed response", which is a stream error of type PROTOCOL_ERROR.
  @Test(.enabled(if: isUsable, "Python isn't installed")) func malformedResponsesFailTheirStreamAlone() async throws {
    let names = [
      "no-status", "two-statuses", "status-of-letters", "status-too-short", "request-pseudo-field", "unknown-pseudo-field",
      "late-pseudo-field", "uppercase-name", "empty-name", "space-in-name", "line-break-in-value", "nul-in-value", "space-before-value",
      "connection-field", "transfer-encoding", "upgrade-field", "switching-protocols", "informational-end", "length-of-letters",
      "two-lengths", "body-too-long", "body-before-head", "second-head", "trailers-in-the-middle", "huge-head",
      "window-of-stream-grows-by-nothing",
    ]
    try await check(
      names.map { ($0, Outcome.parse, "1 RST_STREAM 1") } + [
        ("body-too-short", Outcome.lost, "1 RST_STREAM 1"), ("no-body-of-length", Outcome.lost, "1 RST_STREAM 1"),
        ("window-of-stream-overflows", Outcome.parse, "1 RST_STREAM 3"),
      ])
  }

  /// 8.7: what hasn't been processed is sent again.
  @Test(.enabled(if: isUsable, "Python isn't installed"), arguments: ["GET", "POST"])
  func refusedRequestsAreSentAgainAndOthersAreNot(_ method: String) async throws {
    try await check(
      [
        ("refused", .body("1"), "1"), ("goes-away-unasked", .body("2"), "2"), ("goes-away-angrily", .body("2"), "2"),
        ("goes-away-in-two-steps", .body("2"), "2"), ("goes-away-and-answers", .body("processed"), "2"), ("reset", Outcome.lost, "1"),
        ("refused-after-its-head", Outcome.lost, "1"), ("reset-without-error-in-the-body", Outcome.lost, "1"),
        ("breaks-off", Outcome.lost, "2"),
        ("closes-without-a-word", Outcome.lost, "2"),
      ], method: method, body: method == "POST" ? Data("once".utf8) : nil)
  }

  /// 5.4.1, with the codes that each section names.
  @Test(.enabled(if: isUsable, "Python isn't installed")) func brokenRulesOfTheConnectionEndIt() async throws {
    let codes: [(Int, [String])] = [
      (
        1,
        [
          "push", "wants-to-be-pushed-to", "frame-on-an-idle-stream", "stream-of-its-own", "head-on-no-stream", "data-on-no-stream",
          "settings-on-a-stream", "ping-on-a-stream", "reset-of-an-idle-stream", "farewell-taken-back", "window-grows-by-nothing",
          "padding-longer-than-frame", "ping-amid-a-head", "continuation-of-nothing", "continuation-on-another-stream",
          "frame-size-too-small", "speaks-first-of-something-else",
        ]
      ),
      (3, ["window-setting-too-large", "window-overflows"]),
      (
        6,
        [
          "frame-too-large", "settings-of-half-a-setting", "acknowledgement-with-settings", "short-ping", "short-reset", "short-farewell",
          "short-window", "speaks-http1",
        ]
      ),
      (9, ["corrupt-fields", "unknown-index", "huffman-without-end", "table-larger-than-allowed"]),
    ]
    try await check(codes.flatMap { code, names in names.map { ($0, Outcome.parse, "2 GOAWAY \(code)") } })
    // The response was whole when the rule was broken.
    try await check([("data-behind-the-end", .body(""), "2 GOAWAY 5")])
  }

  /// 10.5.
  @Test(.enabled(if: isUsable, "Python isn't installed")) func floodsAreCutOff() async throws {
    let names = [
      "flood-of-pings", "flood-of-settings", "flood-of-priorities", "flood-of-windows", "flood-of-nothing", "flood-of-the-unknown",
      "flood-of-continuations", "flood-of-empty-continuations", "flood-of-informational-heads",
    ]
    try await check(names.map { ($0, Outcome.parse, "2…") })
  }

  @Test(.enabled(if: isUsable, "Python isn't installed")) func unusualButAllowedIsBorne() async throws {
    let names = ["unknown-frames", "unknown-setting", "padding", "trailers", "many-hints", "head-in-many-frames", "one-byte-at-a-time"]
    try await check(names.map { ($0, .body("fine"), "1") })
    try await check([("early-answer", .body("early"), "1…")], method: "POST", body: Data(count: 5_000_000))
    try await check([("window-of-nothing", .body("fine"), "1")], method: "POST", body: Data(count: 200_000))
  }
}
