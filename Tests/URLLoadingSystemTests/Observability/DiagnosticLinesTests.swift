import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite struct DiagnosticLinesTests {
  @Test(arguments: [nil, "", "0", "off", "OFF", "no"]) func areOffUnlessAskedFor(_ value: String?) {
    #expect(DiagnosticLines(environment: value.map { [DiagnosticLines.variable: $0] } ?? [:]) == nil)
  }

  @Test(arguments: [("debug", LineLevel.debug), ("1", .debug), ("info", .info), ("Notice", .notice), ("error", .warning)])
  func levelIsTheLeastThatIsWritten(_ value: String, _ level: LineLevel) throws {
    let lines = try #require(DiagnosticLines(environment: [DiagnosticLines.variable: value]))
    for other in [LineLevel.debug, .info, .notice, .warning] { #expect(lines.writes(other) == (other >= level)) }
  }

  @Test func oneEventIsOneLine() throws {
    let written = Mutex<[String]>([])
    let lines = try #require(
      DiagnosticLines(environment: [DiagnosticLines.variable: "1"]) { text in written.withLock { $0.append(text) } })
    lines.write(TaskLine(level: .info, message: "redirected", facts: [("a", "plain"), ("b", "two words"), ("c", "x\n\u{1B}[1m\"")]))
    let text = written.withLock { $0 }.joined()
    #expect(text.hasSuffix(#" info: redirected a=plain b="two words" c="x\u{a}\u{1b}[1m\""# + "\"\n"))
    #expect(text.filter(\.isNewline).count == 1)
  }

  @Test(
    arguments: [
      ("http://a.test/x", "http://a.test/x"), ("https://me:secret@A.test:8080/x?k=v#f", "https://a.test:8080/x?REDACTED"),
      ("http://a.test", "http://a.test/"), ("data:,secret", "data:"), ("file:///home/ada/secret", "file:"),
    ])
  func urlsAreShownWithoutSecrets(_ url: String, _ shown: String) throws {
    #expect(ShownURL.text(LoadRequest(url: URL(string: url)), showsQuery: false) == shown)
  }
}
