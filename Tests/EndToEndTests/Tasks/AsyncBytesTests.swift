import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct AsyncBytesTests {
  @Test(arguments: Wire.allCases) func linesArriveAsTheyAreSent(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("one\ntwo\n3").with(.stallAfter(bodyBytes: 4, gate: gate)))
      let session = URLSession(configuration: configuration)
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next() == "one")
      gate.open()
      #expect(try await lines.next() == "two")
      #expect(try await lines.next() == "3")
      #expect(try await lines.next() == nil)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func charactersAreWholeHoweverTheyAreSent(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let text = "naïve 👩‍👩‍👧 日本\r\n"
      server.enqueue(Reply.text(text).with(.trickle(chunkSize: 1)))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      var characters: [Character] = []
      for try await character in bytes.characters { characters.append(character) }
      #expect(characters == Array(text))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func everyByteArrivesOnceAndInOrder(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 1_000_000)))
      let session = URLSession(configuration: configuration)
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect(response.expectedContentLength == 1_000_000)
      var count = 0
      var isInOrder = true
      for try await byte in bytes {
        isInOrder = isInOrder && byte == UInt8(ascii: "a") + UInt8(count % 26)
        count += 1
      }
      #expect(count == 1_000_000)
      #expect(isInOrder)
      #expect(bytes.task.countOfBytesReceived == 1_000_000)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorInTheMiddleComesFromTheIterator(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.disconnectAfterBodyBytes(10)]))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<10 { #expect(try await iterator.next() != nil) }
      #expect(await errorCode { _ = try await iterator.next() } == URLError.networkConnectionLost.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func failureBeforeTheResponseIsThrownAtOnce(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply.text("x").with(.disconnectBeforeHeaders))
      let session = URLSession(configuration: configuration)
      #expect(await errorCode { _ = try await session.bytes(from: server.url()) } == URLError.networkConnectionLost.rawValue)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorStatusIsNoError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("gone", status: 410))
      let session = URLSession(configuration: configuration)
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 410)
      var text = ""
      for try await line in bytes.lines { text += line }
      #expect(text == "gone")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func emptyBodyEndsAtOnce(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(204))
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      #expect(try await iterator.next() == nil)
      #expect(try await iterator.next() == nil)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func taskDelegateIsToldOfMetricsBeforeTheEnd(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration)
      let (bytes, _) = try await session.bytes(from: server.url(), delegate: recorder)
      for try await _ in bytes {}
      #expect(recorder.metrics?.transactionMetrics.count == 1)
      #expect(recorder.events.filter { $0 != .willCache } == [.created, .metrics(transactions: 1)])
      session.invalidateAndCancel()
    }
  }
}
