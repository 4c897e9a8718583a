import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct MixedReplaceParserTests {
  private struct Part: Equatable, CustomStringConvertible {
    var type: String?
    var data = ""

    var description: String { "\(type ?? "-"): \(data.debugDescription)" }
  }

  /// The parts of `text`, which arrives `step` bytes at a time.
  private func parts(_ text: String, boundary: String = "b", step: Int = .max) throws -> [Part] {
    var parser = try #require(MixedReplaceParser(boundary: boundary))
    let bytes = Array(text.utf8)
    var parts: [Part] = []
    var unread: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let end = step == .max ? bytes.count : min(bytes.count, position + step)
      unread += bytes[position..<end]
      position = end
      loop: while !unread.isEmpty {
        switch try consume(&parser, unread) {
        case .incomplete(let consumed):
          unread.removeFirst(consumed)
          break loop
        case .part(let fields, let consumed):
          parts.append(Part(type: fields.joined("Content-Type")))
          unread.removeFirst(consumed)
        case .data(let skip, let count):
          #expect(count > 0)
          parts[parts.count - 1].data += String(decoding: unread[skip..<(skip + count)], as: UTF8.self)
          unread.removeFirst(skip + count)
        case .ended: return parts
        }
      }
    }
    let rest = parser.rest(unread.count)
    if rest > 0 { parts[parts.count - 1].data += String(decoding: unread.prefix(rest), as: UTF8.self) }
    return parts
  }

  private func consume(_ parser: inout MixedReplaceParser, _ bytes: [UInt8]) throws(LoadError) -> MixedReplaceParser.Outcome {
    var result: Result<MixedReplaceParser.Outcome, LoadError> = .success(.ended)
    bytes.withUnsafeBytes { bytes in
      do throws(LoadError) {
        result = .success(try parser.consume(bytes))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private static let steps = [1, 2, 3, 5, 7, 64, Int.max]
  private let two = [Part(type: "text/a", data: "one\r\n--bee\r\n"), Part(type: "text/b", data: "two")]
  private let body =
    "preamble\r\n--b\r\nContent-Type: text/a\r\n\r\none\r\n--bee\r\n\r\n--b \r\nContent-Type: text/b\r\n\r\ntwo\r\n--b--\r\nepilogue\r\n--b\r\n\r\n"

  @Test(arguments: steps) func partsAreWhatLiesBetweenDelimitersHoweverTheyArrive(_ step: Int) throws {
    #expect(try parts(body, step: step) == two)
  }

  @Test(arguments: steps) func linesMayEndWithLineFeedsAlone(_ step: Int) throws {
    let text = "--b\nContent-Type: text/a\n\none\r\n--bee\r\n\n--b\nContent-Type: text/b\n\ntwo\n--b--"
    #expect(try parts(text, step: step) == two)
  }

  @Test(arguments: steps) func bodyMayEndWithoutTheClosingDelimiter(_ step: Int) throws {
    #expect(try parts("--b\r\n\r\none\r\n", step: step) == [Part(data: "one\r\n")])
    #expect(try parts("--b\r\n\r\none\r\n--", step: step) == [Part(data: "one\r\n--")])
    #expect(try parts("--b\r\n\r\none\r\n--b\r\nContent-Ty", step: step) == [Part(data: "one")])
  }

  @Test(arguments: steps) func delimiterNeedNotFollowALinesEnd(_ step: Int) throws {
    #expect(try parts("--b\r\n\r\none--b\r\n\r\n--b\r\n\r\ntwo", step: step) == [Part(data: "one"), Part(), Part(data: "two")])
  }

  @Test(arguments: steps) func boundaryWithDashesIsFoundWithAndWithoutThoseOfItsDelimiter(_ step: Int) throws {
    for dashes in ["", "--"] {
      let text = "\(dashes)--x\r\n\r\none\r\n\(dashes)--x\r\n\r\ntwo\r\n\(dashes)--x--\r\n"
      #expect(try parts(text, boundary: "--x", step: step) == [Part(data: "one"), Part(data: "two")])
    }
  }

  @Test(arguments: steps) func whatBeginsLikeADelimiterIsData(_ step: Int) throws {
    let data = "\r\n--\r\n--bc\r\n--b-c\r\n-b\r\r\n--b\rx-"
    #expect(try parts("--b\r\n\r\n\(data)\r\n--b--", step: step) == [Part(data: data)])
  }

  @Test func dataIsHeldBackOnlyWhereADelimiterMayBegin() throws {
    var parser = try #require(MixedReplaceParser(boundary: "b"))
    guard case .incomplete(5) = try consume(&parser, Array("--b\r\n".utf8)), case .part(_, 2) = try consume(&parser, Array("\r\n".utf8))
    else {
      Issue.record("no part")
      return
    }
    for (text, count) in [("image", 5), ("image\r\n", 5), ("image\r\n--", 5), ("image-", 5), ("image--bx", 9)] {
      guard case .data(0, count) = try consume(&parser, Array(text.utf8)) else {
        Issue.record("\(text) isn't \(count) bytes of data")
        continue
      }
    }
  }

  @Test func headIsBounded() throws {
    let error = #expect(throws: LoadError.self) { try parts("--b\r\nX: " + String(repeating: "x", count: 70_000)) }
    #expect(error?.kind == .cannotParseResponse)
    #expect(throws: LoadError.self) { try parts("--b\r\n" + String(repeating: "X: y\r\n", count: 20_000), step: 1000) }
    #expect(throws: LoadError.self) { try parts("--b\r\n" + String(repeating: "a:\n", count: 1002)) }
  }

  @Test func whatIsNoFieldIsLeftOut() throws {
    #expect(try parts("--b\r\nnonsense\r\nContent-Type: text/a\r\n ;c\r\nX: \0\r\n\r\n") == [Part(type: "text/a ;c")])
  }

  @Test func bodyWithoutDelimitersHasNoParts() throws {
    #expect(try parts("nothing\r\n--c\r\n\r\nmore", step: 4) == [])
  }

  @Test func boundaryComesFromTheType() {
    func isFound(_ type: String) -> Bool { MixedReplaceParser(HeaderFields([("Content-Type", type)])) != nil }
    #expect(isFound("Multipart/X-Mixed-Replace; Boundary=\"a b\""))
    #expect(!isFound("multipart/x-mixed-replace"))
    #expect(!isFound("multipart/x-mixed-replace; boundary=\"\""))
    #expect(!isFound("multipart/x-mixed-replace; boundary=" + String(repeating: "b", count: 257)))
    #expect(!isFound("multipart/mixed; boundary=b"))
  }

  @Test func responseOfAPartHasItsFieldsInThePlaceOfTheWholes() throws {
    let head = ResponseHead(
      status: 203, headers: HeaderFields([("Content-Type", "x/y"), ("Content-Length", "9"), ("Server", "s"), ("X-Part", "0")]))
    let url = try #require(URL(string: "http://host/"))
    let part = LoadResponse(url: url, kind: .http(head), expectedLength: 9)
      .part(HeaderFields([("content-type", "text/a"), ("x-part", "1"), ("Content-Length", "3")]))
    #expect(part.url == url)
    #expect(part.status == 203)
    #expect(part.expectedLength == 3)
    #expect(part.httpHead?.headers.entries.map(\.name) == ["Server", "content-type", "x-part", "Content-Length"])
    #expect(LoadResponse(url: url, kind: .http(head), expectedLength: 9).part(HeaderFields()).expectedLength == -1)
  }
}
