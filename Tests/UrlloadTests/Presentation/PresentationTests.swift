import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct PresentationTests {
  private func formatted(_ text: String, pieceLength: Int = 1000, theme: Theme? = nil) -> String {
    var formatter = JSONFormatter(indents: true, theme: theme)
    var result = Data()
    var rest = Data(text.utf8)
    while !rest.isEmpty {
      result += formatter.take(rest.prefix(pieceLength))
      rest = rest.dropFirst(pieceLength)
    }
    return String(decoding: result + formatter.end(), as: UTF8.self)
  }

  @Test(arguments: [1, 2, 3, 1000]) func jsonIsIndented(pieceLength: Int) {
    let shown = formatted(#"{"a":[1, -2.5e3,true],"b":{},"c":[ ],"d" : {"e\"}":null}}"#, pieceLength: pieceLength)
    #expect(
      shown == """
        {
          "a": [
            1,
            -2.5e3,
            true
          ],
          "b": {},
          "c": [],
          "d": {
            "e\\"}": null
          }
        }

        """)
  }

  @Test func severalValuesHaveLinesOfTheirOwn() {
    #expect(formatted("{}\n[1]\n2 3 \"x\"") == "{}\n[\n  1\n]\n2\n3\n\"x\"\n")
    #expect(formatted("") == "")
  }

  @Test func namesAndValuesHaveColours() {
    let theme = Theme(name: "<n>", string: "<s>", number: "<d>", word: "<w>")
    #expect(
      formatted(#"{"a":"b","c":[1,null]}"#, theme: theme).replacing(theme.end, with: "</>")
        == "{\n  <n>\"a\"</>: <s>\"b\"</>,\n  <n>\"c\"</>: [\n    <d>1</>,\n    <w>null</>\n  ]\n}\n")
  }

  @Test func controlCharactersDoNotReachTheTerminal() {
    #expect(formatted("\"a\u{1B}[2Jb\u{7F}\"") == "\"a\\u001b[2Jb\\u007f\"\n")
  }

  private func atTerminal(_ reply: Reply, _ arguments: String...) async throws -> (status: Int32, text: String) {
    let terminal = try PseudoTerminal(columns: 120)
    return try await withStandardServer { server in
      server.enqueue(reply)
      let outcome = try await Tool().run(
        list: arguments + [server.url("/x").absoluteString], environment: ["NO_COLOR": "1"], terminal: terminal, terminalUse: .everything)
      return (outcome.status, terminal.text.replacing("\r\n", with: "\n"))
    }
  }

  @Test func jsonIsFormattedOnATerminalAlone() async throws {
    let reply = Reply(200, headers: ["Content-Type": "application/json"], body: .text(#"{"a":1}"#))
    #expect(try await atTerminal(reply).text == "{\n  \"a\": 1\n}\n")
    #expect(try await atTerminal(reply, "--pretty", "none").text == #"{"a":1}"#)
    try await withStandardServer { server async throws in
      server.enqueue(reply)
      server.enqueue(reply)
      #expect(try await Tool().run(server.url("/x").absoluteString).text == #"{"a":1}"#)
      #expect(try await Tool().run("--pretty", "format", server.url("/x").absoluteString).text == "{\n  \"a\": 1\n}\n")
    }
  }

  private func shown(_ text: String, as type: String, pieceLength: Int = 1000) throws -> String {
    let url = try #require(URL(string: "http://a.test/"))
    let response = URLResponse(url: url, mimeType: type, expectedContentLength: -1, textEncodingName: nil)
    var presentation = Presentation(.format, isTerminal: true, response)
    var result = Data()
    var rest = Data(text.utf8)
    while !rest.isEmpty {
      result += try presentation.take(rest.prefix(pieceLength))
      rest = rest.dropFirst(pieceLength)
    }
    return String(decoding: result + presentation.end(), as: UTF8.self)
  }

  @Test(.enabled(if: XMLFormatter.formatted(Data("<a/>".utf8)) != nil, "needs libxml2"), arguments: [3, 1000])
  func xmlIsIndented(pieceLength: Int) throws {
    let shown = try shown("<a b='c'><d>e  <f/>g</d><h><i/></h></a>", as: "image/svg+xml", pieceLength: pieceLength)
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    #expect(shown == head + "<a b=\"c\">\n  <d>e  <f/>g</d>\n  <h>\n    <i/>\n  </h>\n</a>\n")
  }

  /// Entities aren't replaced: what they stand for could be very long, or a file.
  @Test func entitiesOfXMLAreLeftAlone() throws {
    let text = #"<!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y SYSTEM "file:///etc/passwd">]><a>&x;&y;</a>"#
    #expect(try shown(text, as: "text/xml").contains("<a>&x;&y;</a>"))
  }

  @Test(arguments: ["<a>", "no XML", ""]) func whatIsNoXMLIsShownAsItIs(_ text: String) throws {
    #expect(try shown(text, as: "application/xml") == text)
  }

  @Test func longXMLIsNotHeld() throws {
    let text = "<a>" + String(repeating: "x", count: 300_000) + "</a>"
    #expect(try shown(text, as: "text/xml") == text)
  }

  @Test func bodiesThatAreNoTextAreHeldBack() async throws {
    let reply = Reply(200, headers: ["Content-Type": "application/octet-stream"], body: .text("\u{1}\0\u{1B}x"))
    let shown = try await atTerminal(reply)
    #expect(shown.status == 23)
    #expect(shown.text.contains("isn't text") && shown.text.contains("-o FILE") && !shown.text.contains("\u{1B}"))
    #expect(try await atTerminal(reply, "-o", "-").status == 0)
  }

  @Test func veryLongBodiesAreCut() throws {
    let url = try #require(URL(string: "http://a.test/"))
    let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 300_000, textEncodingName: nil)
    var onTerminal = Presentation(.all, isTerminal: true, response)
    let piece = Data(repeating: UInt8(ascii: "x"), count: 150_000)
    #expect(try onTerminal.take(piece).count == 150_000)
    #expect(!onTerminal.isFull && onTerminal.hint == nil)
    #expect(try onTerminal.take(piece).count == 262_144 - 150_000)
    #expect(onTerminal.isFull && onTerminal.hint?.contains("cut after 262 kB of 300 kB") == true)
    var elsewhere = Presentation(.all, isTerminal: false, response)
    #expect(try elsewhere.take(piece + piece).count == 300_000)
  }
}
