import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct JSONLineSequenceTests {
  private struct Entry: Codable, Hashable {
    var userName: String
    var count: Int?
  }

  @Test func valuesAreTheSameByByteAndByPiece() async throws {
    let bytes = Array("{\"userName\":\"ä\\n\",\"count\":1}\r\n\n  \n{\"userName\":\"b\"}\n{\"userName\":\"c\"}".utf8)
    let expected = [Entry(userName: "ä\n", count: 1), Entry(userName: "b"), Entry(userName: "c")]
    #expect(try await collect(SingleBytes(bytes: bytes).jsonLines(of: Entry.self)) == expected)
    for size in 1...bytes.count {
      #expect(try await collect(PieceSequence(bytes: bytes, pieceSize: size).jsonLines(of: Entry.self)) == expected)
    }
  }

  @Test func decoderIsTheCallers() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let bytes = Array("{\"user_name\":\"a\"}\n".utf8)
    #expect(try await collect(SingleBytes(bytes: bytes).jsonLines(of: Entry.self, decoder: decoder)) == [Entry(userName: "a")])
  }

  @Test func errorNamesTheLineAndTheNextOneFollows() async throws {
    let bytes = Array("{\"userName\":\"a\"}\n\n{\"userName\":1}\nnonsense\n{\"userName\":\"b\"}\n".utf8)
    var values = PieceSequence(bytes: bytes, pieceSize: 7).jsonLines(of: Entry.self).makeAsyncIterator()
    #expect(try await values.next() == Entry(userName: "a"))
    for line in [3, 4] {
      let error = await #expect(throws: URLSessionJSONLineError.self) { _ = try await values.next() }
      #expect(error?.line == line)
      guard case .undecodable(let reason)? = error?.reason else {
        Issue.record("not a decoder's error: \(String(describing: error))")
        return
      }
      #expect(reason is DecodingError)
      #expect(error?.description.hasPrefix("line \(line) can't be decoded") == true)
    }
    #expect(try await values.next() == Entry(userName: "b"))
    #expect(try await values.next() == nil)
    #expect(try await values.next() == nil)
  }

  @Test func tooLongALineEndsTheSequence() async throws {
    let bytes = Array("1\n123456\n2\n".utf8)
    var values = SingleBytes(bytes: bytes).jsonLines(of: Int.self, maximumLineLength: 5).makeAsyncIterator()
    #expect(try await values.next() == 1)
    let error = await #expect(throws: URLSessionJSONLineError.self) { _ = try await values.next() }
    #expect(error?.line == 2)
    #expect(error?.description.contains("5 bytes") == true)
    #expect(try await values.next() == nil)
  }
}
