import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DecodingTests {
  private static let document = Data((0..<60).map { "line \($0) of the document\n" }.joined().utf8)

  /// `document` as the coding called `coding` has it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let coding: String
    let bytes: Data
    let testDescription: String

    init(_ coding: String, _ base64: String, _ description: String? = nil) {
      self.coding = coding
      bytes = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
      testDescription = description ?? coding
    }
  }

  private static let samples =
    [Sample("gzip", gzip), Sample("X-GZip", gzip), Sample("deflate", zlib), Sample("deflate", bareDeflate, "bare deflate")]
    + optional

  /// Codings whose libraries this machine may lack: the session then doesn't offer them.
  private static let optional = [Sample("br", brotli), Sample("zstd", zstandard)]

  /// Whether sessions on this machine decode `coding`: what they decode they offer over TLS.
  private static func isOffered(_ coding: String) async throws -> Bool {
    var offer = ""
    try await Wire.tls.serve { server, configuration async throws in
      server.enqueue(.text(""))
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url())
      offer = server.requests[0].headers["Accept-Encoding"] ?? ""
      session.invalidateAndCancel()
    }
    return !optional.contains { $0.coding == coding } || offer.contains(coding)
  }

  private static func reply(_ bytes: Data, _ coding: String, chunked: Bool = false) -> Reply {
    Reply(headers: ["Content-Encoding": coding], body: .bytes(bytes), framing: chunked ? .chunked : .contentLength)
  }

  @Test(arguments: samples, Wire.allCases) func codingIsTakenOff(_ sample: Sample, _ wire: Wire) async throws {
    guard try await DecodingTests.isOffered(sample.coding) else { return print("no decoder for \(sample.coding) on this machine") }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      for chunked in [false, true] {
        server.enqueue(DecodingTests.reply(sample.bytes, sample.coding, chunked: chunked))
        let (data, response) = try await session.data(from: server.url())
        #expect(data == DecodingTests.document)
        #expect(response.expectedContentLength == -1)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == sample.coding)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: samples, Wire.allCases) func codingIsTakenOffByteByByte(_ sample: Sample, _ wire: Wire) async throws {
    guard try await DecodingTests.isOffered(sample.coding) else { return print("no decoder for \(sample.coding) on this machine") }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(DecodingTests.reply(sample.bytes, sample.coding).with(.trickle(chunkSize: 1)))
      #expect(try await session.data(from: server.url()).0 == DecodingTests.document)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: samples, Wire.allCases) func truncatedBodyIsAnError(_ sample: Sample, _ wire: Wire) async throws {
    guard try await DecodingTests.isOffered(sample.coding) else { return print("no decoder for \(sample.coding) on this machine") }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      for length in [1, 20, sample.bytes.count - 1] {
        server.enqueue(DecodingTests.reply(sample.bytes.prefix(length), sample.coding))
        #expect(await session.failure(of: server.url())?.code == .cannotDecodeRawData, "\(length) bytes")
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: samples, Wire.allCases) func garbageIsAnError(_ sample: Sample, _ wire: Wire) async throws {
    guard try await DecodingTests.isOffered(sample.coding) else { return print("no decoder for \(sample.coding) on this machine") }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(DecodingTests.reply(Data(repeating: 0xFF, count: 5000), sample.coding))
      #expect(await session.failure(of: server.url())?.code == .cannotDecodeRawData)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func connectionLostWithinACodedBodyIsALostConnection(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let bytes = DecodingTests.samples[0].bytes
      server.enqueue(DecodingTests.reply(bytes, "gzip").with(.disconnectAfterBodyBytes(50)))
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      session.invalidateAndCancel()
    }
  }

  /// Wherever the network cuts: RFC 1952, 2.2 allows several members, RFC 8878, 3 several frames.
  @Test(arguments: [samples[0], optional[1]], Wire.allCases) func severalMembersAreOneBody(_ sample: Sample, _ wire: Wire) async throws {
    guard try await DecodingTests.isOffered(sample.coding) else { return print("no decoder for \(sample.coding) on this machine") }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let two = DecodingTests.document + DecodingTests.document
      server.enqueue(DecodingTests.reply(sample.bytes + sample.bytes, sample.coding))
      #expect(try await session.data(from: server.url()).0 == two)
      // Each member in a write of its own, and each byte.
      let gate = Gate()
      server.enqueue(
        DecodingTests.reply(sample.bytes + sample.bytes, sample.coding).with(.stallAfter(bodyBytes: sample.bytes.count, gate: gate)))
      let (bytes, _) = try await session.bytes(from: server.url())
      var received = Data()
      for try await byte in bytes {
        received.append(byte)
        if received.count == DecodingTests.document.count { gate.open() }
      }
      #expect(received == two)
      if sample.coding == "gzip" {
        let empty = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        server.enqueue(DecodingTests.reply(empty + sample.bytes + empty, sample.coding))
        #expect(try await session.data(from: server.url()).0 == DecodingTests.document)
      }
      server.enqueue(DecodingTests.reply(sample.bytes + sample.bytes, sample.coding).with(.trickle(chunkSize: 1)))
      #expect(try await session.data(from: server.url()).0 == two)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bytesAfterTheCodedBodyAreIgnored(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      for sample in DecodingTests.samples.prefix(4) {
        server.enqueue(DecodingTests.reply(sample.bytes + Data(count: 100), sample.coding))
        #expect(try await session.data(from: server.url()).0 == DecodingTests.document)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func codingsAreUndoneLastFirst(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gzip = DecodingTests.samples[0].bytes
      // The kit's deflate around the document's gzip.
      var reply = Reply.deflate(gzip)
      reply.headers["Content-Encoding"] = "gzip, identity, deflate"
      server.enqueue(reply)
      #expect(try await session.data(from: server.url()).0 == DecodingTests.document)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["compress", "gzip, unknown", "identity", ""], Wire.allCases)
  func codingWithoutADecoderIsLeftOn(_ coding: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(DecodingTests.reply(Data("raw".utf8), coding))
      let (text, response) = try await session.text(from: server.url())
      #expect(text == "raw")
      #expect(response.expectedContentLength == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func emptyBodyNeedsNoDecoding(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      for framing in [Reply.Framing.contentLength, .chunked, .untilClose] {
        server.enqueue(Reply(headers: ["Content-Encoding": "gzip"], body: .none, framing: framing))
        #expect(try await session.data(from: server.url()).0.isEmpty)
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func bombIsDecodedNoFasterThanItIsRead(_ wire: Wire) async throws {
    // A member of 1 MiB of zeros, as gzip -9 makes it; 1024 of them are 1 GiB.
    let head = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0])
    let member = head + Data(count: 1016) + Data([0x3E, 3, 0x1C, 0xEA, 0x38, 0xA7, 0, 0, 0x10, 0])
    let bomb = (0..<1024).reduce(into: Data()) { bomb, _ in bomb.append(member) }
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(DecodingTests.reply(bomb, "gzip"))
      let (bytes, _) = try await session.bytes(from: server.url())
      var read: Int64 = 0
      var isZero = true
      for try await byte in bytes {
        isZero = isZero && byte == 0
        read += 1
        if read % 65536 == 0 { #expect(bytes.task.countOfBytesReceived - read <= 1 << 20) }
        if read == 3 << 20 { break }
      }
      #expect(read == 3 << 20 && isZero)
      session.invalidateAndCancel()
    }
  }

  private static let gzip = """
    H4sIAAAAAAACA3XUOQ4CQQxE0ZxT9BGwq8xyHmgE0jCTDPdHxPinP3vysrzWOY5je4z9Ocd9u33ec90Pyy9Hn7PP6rP7XH0+9fnc50ufr8AhJjgDoAHSAGqA
    NQAboA3gBngTvElzBW+CN8Gb4E3wJngTvAlegVfgFS0yeAVegVfgFXgFXoHX4DV4DV7T5YLX4DV4DV6D1+At8BZ4C7wF3qJXBd4Cb4G3wFv/3i+/OUM5lgUA
    AA==
    """
  private static let zlib = """
    eNp11DkOAkEMRNGcU/QRsKvMch5oBNIwkwz3R8T4pz978rK81jmOY3uM/TnHfbt93nPdD8svR5+zz+qz+1x9PvX53OdLn6/AISY4A6AB0gBqgDUAG6AN4AZ4
    E7xJcwVvgjfBm+BN8CZ4E7wJXoFX4BUtMngFXoFX4BV4BV6B1+A1eA1e0+WC1+A1eA1eg9fgLfAWeAu8Bd6iVwXeAm+Bt8Bb/94vD2HheA==
    """
  private static let bareDeflate = """
    ddQ5DgJBDETRnFP0EbCrzHIeaATSMJMM90fE+Kc/e/KyvNY5jmN7jP05x327fd5z3Q/LL0efs8/qs/tcfT71+dznS5+vwCEmOAOgAdIAaoA1ABugDeAGeBO8
    SXMFb4I3wZvgTfAmeBO8CV6BV+AVLTJ4BV6BV+AVeAVegdfgNXgNXtPlgtfgNXgNXoPX4C3wFngLvAXeolcF3gJvgbfAW//eLw==
    """
  private static let brotli = """
    sagsAGKkdroTZ6LSwSFpgO11UsHsjXBx7t3jkNLII1ovLh2WdV9d9yh5BAAIAkNgYOHgK4Q2QCgSS2Rk5eATtkAoEktkZOXgE7VAKBJLZGTl4BO3QCgSS2Rk
    5eCTtEAoEktkZOXmBw==
    """
  private static let zstandard = """
    KLUv/WSWBFUDACIFDxOwawyOkUjIKB+mXNtSShEYA10J////v23btt22bduSJEmS27ZtW0EMwl0OWAkxjaGOg5J1EHWCg5KyBDyoEeDv/wawo9IBESQEv0Kg
    8gNN13WeR4744P3GvXazWU8duG7P0kIVsFWFJyfj
    """
}
