import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct ServerSentEventSequenceTests {
  private let text = "id: 7\nevent: delta\nretry: 1500\ndata: {\"a\":\ndata: 1}\n\n: comment\n\ndata: done\n\ndata: lost"

  @Test func eventsAreTheSameByByteAndByPiece() async throws {
    let expected = [
      URLSessionServerSentEvent(id: "7", type: "delta", data: "{\"a\":\n1}", retry: .milliseconds(1500)),
      URLSessionServerSentEvent(id: "7", data: "done"),
    ]
    let bytes = Array(text.utf8)
    #expect(try await collect(SingleBytes(bytes: bytes).serverSentEvents) == expected)
    for size in 1...bytes.count {
      #expect(try await collect(PieceSequence(bytes: bytes, pieceSize: size).serverSentEvents) == expected)
    }
  }

  @Test func tooLongAnEventEndsTheSequence() async throws {
    let bytes = Array("data: a\n\ndata: 0123456789\n\ndata: b\n\n".utf8)
    var events = PieceSequence(bytes: bytes, pieceSize: 9).serverSentEvents(maximumEventLength: 5).makeAsyncIterator()
    #expect(try await events.next()?.data == "a")
    let error = await #expect(throws: URLSessionServerSentEventError.self) { _ = try await events.next() }
    #expect(error == .eventTooLong(limit: 5))
    #expect(error?.description.contains("5 bytes") == true)
    #expect(try await events.next() == nil)
  }

  @Test func emptyInputHasNoEvents() async throws {
    #expect(try await collect(SingleBytes(bytes: []).serverSentEvents).isEmpty)
  }
}
