import Foundation
@testable import LoadingModel

@testable import LoadingEngine
@testable import ProtocolRules
@testable import URLLoadingSystem

extension FuzzTarget {
  static let texts = [
    // Pieces of any size give the events that the whole gives.
    FuzzTarget("event-stream", seeds: ["\u{2}data: a\ndata: b\nid: 1\nevent: e\nretry: 10\n\n:c\r\rdata\r\n\r\n", "\u{FEFF}data:x\n\n"]) {
      bytes in
      var input = FuzzInput(bytes)
      let pieces = input.pieces()
      let (one, other) = (events(pieces), events([pieces.flatMap { $0 }[...]]))
      expect(one == other, "in pieces: \(one), at once: \(other)")
    },
    FuzzTarget("lines", seeds: ["\u{1}{\"a\":1}\n{\"b\":2}\r\n\n x", "\r\n\r"]) { bytes in
      var input = FuzzInput(bytes)
      let pieces = input.pieces()
      let (one, other) = (lines(pieces), lines([pieces.flatMap { $0 }[...]]))
      expect(one == other, "in pieces: \(one), at once: \(other)")
    },
    // Parts are the same in pieces of any size; the data of all of them is less than the body.
    FuzzTarget(
      "mixed-replace",
      seeds: [
        "\u{3}--b\r\nContent-Type: a/b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n", "\u{1}x\n--b \nA: b\n\n--bb\n--",
        "\u{2}--b--b\n\n\r\n--b",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let pieces = input.pieces()
      let (one, other) = (parts(pieces), parts([pieces.flatMap { $0 }[...]]))
      expect(one == other, "in pieces: \(one), at once: \(other)")
    },
    FuzzTarget("data-url", seeds: ["data:text/plain;charset=utf-8;base64,aGk=", "data:,%41%", "data:;base64, a G k", "data:a/b;c=\",d"]) {
      bytes in
      var input = FuzzInput(bytes)
      _ = DataURL.parse(input.text())
    },
    FuzzTarget("base64", seeds: ["aGk=", " a\nG k", "a", "===="]) { bytes in
      guard let decoded = ForgivingBase64.decode(bytes) else { return }
      expect(ForgivingBase64.decode(Data(decoded).base64EncodedString().utf8) == decoded, "not the same there and back")
    },
    // A form's parts are as many as were appended, whatever their names are.
    FuzzTarget("multipart", seeds: ["name\0file.txt\0text/plain\0content", "a\"\r\nX: y\0b\nc\r\0\r\n\r\n\0--form--"]) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 4) + ["", "", "", ""]
      guard var form = URLSessionMultipartFormData(boundary: "form-boundary") else { return }
      guard !texts[3].contains("form-boundary") else { return }
      form.append(Data(texts[3].utf8), name: texts[0], filename: texts[1], contentType: texts[2])
      let stream = form.makeInputStream()
      stream.open()
      defer { stream.close() }
      var (whole, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1024))
      while case let count = stream.read(&piece, maxLength: piece.count), count > 0 { whole += piece[..<count] }
      expect(whole.count == form.contentLength, "\(whole.count) bytes, \(form.contentLength) were announced")
      guard let end = whole.indices.first(where: { whole[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
        return expect(false, "no head")
      }
      let head = whole[..<end]
      let lines = head.split(separator: 0x0D, omittingEmptySubsequences: false)
      expect(lines.count == 3 && head.count { $0 == 0x0A } == 2, String(decoding: head, as: UTF8.self))
      expect(lines[1].count { $0 == 0x22 } == 4, String(decoding: head, as: UTF8.self))
    },
    // Bodies of each content coding, within a bound.
    FuzzTarget(
      "content-decoding",
      binary: [
        [0, 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0],
        [1, 0x78, 0x9C, 0x4B, 4, 0, 0, 0x62, 0, 0x62],
        [1, 0x4B, 4, 0], [2, 0x8B, 0, 0x80, 0x61, 3], [3, 0x28, 0xB5, 0x2F, 0xFD, 0x24, 1, 9, 0, 0, 0x61, 0xC0, 0xF0, 0x34, 0x4D],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let codings = ["gzip", "deflate", "br", "zstd", "gzip, deflate", "br, gzip"]
      let head = ResponseHead(status: 200, headers: HeaderFields([("Content-Encoding", codings[input.number(below: codings.count)])]))
      guard let decoded = DecodedContent.data(Data(input.bytes()), head: head, limit: 1 << 16) else { return }
      expect(decoded.count <= 1 << 16, "\(decoded.count) bytes")
    },
    FuzzTarget("content-coding-list", seeds: ["gzip, br\0x-gzip,,identity", "a;b=\"c, d\", deflate\0"]) { bytes in
      var input = FuzzInput(bytes)
      let headers = HeaderFields(input.texts(atMost: 3).map { ("Content-Encoding", $0) })
      if case .known(let codings) = ContentCodingRules.parse(headers) {
        expect(codings.count <= ContentCodingRules.maximumCodings, "\(codings.count) codings")
      }
    },
    FuzzTarget("ftp-replies", seeds: ["\u{4}220-a\r\n b\r\n220 c\r\n227 (127,0,0,1,4,1)\r\n229 (|||1025|)\r\n213 20240101000000\r\n"]) {
      bytes in
      var input = FuzzInput(bytes)
      var parser = FTPReplyParser()
      for piece in input.pieces() {
        parser.append(piece)
        do {
          while let reply = try parser.next() {
            if let port = FTPAnswers.passivePort(reply) ?? FTPAnswers.extendedPassivePort(reply) {
              expect((1...65535).contains(port), "\(port)")
            }
            _ = (FTPAnswers.size(reply), FTPAnswers.announcedSize(reply), FTPAnswers.modificationDate(reply))
            _ = FTPAnswers.lists("MLST", reply)
          }
        } catch { return }
      }
    },
  ]

  private static func events(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var (parser, told) = (EventStreamParser(limit: 4096), [String]())
    for piece in pieces {
      parser.refill(Data(piece))
      do {
        while let event = try parser.nextEvent() { told.append("\(event)") }
      } catch { return told + ["too long"] }
    }
    return told
  }

  private static func parts(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    guard var parser = MixedReplaceParser(boundary: "b") else { return [] }
    var (unread, told) = ([UInt8](), [String]())
    func tell(_ data: ArraySlice<UInt8>) { told[told.count - 1] += String(decoding: data.map { $0 & 0x7F }, as: UTF8.self) }
    do throws(LoadError) {
      for piece in pieces {
        unread += piece
        var isWaiting = false
        while !isWaiting, !unread.isEmpty {
          let before = unread.count
          switch try consume(&parser, unread) {
          case .incomplete(let consumed):
            unread.removeFirst(consumed)
            isWaiting = true
          case .part(let fields, let consumed):
            unread.removeFirst(consumed)
            told.append("\(fields.entries.map { "\($0.name): \($0.value)" }) ")
            expect(unread.count < before, "a part without bytes")
          case .data(let skip, let count):
            tell(unread[skip..<(skip + count)])
            unread.removeFirst(skip + count)
            expect(unread.count < before, "data without bytes")
          case .ended: return told + ["end"]
          }
        }
      }
    } catch { return told + ["\(error.kind)"] }
    let rest = parser.rest(unread.count)
    if rest > 0 { tell(unread[..<rest]) }
    return told
  }

  private static func consume(_ parser: inout MixedReplaceParser, _ bytes: [UInt8]) throws(LoadError) -> MixedReplaceParser.Outcome {
    var outcome = Result<MixedReplaceParser.Outcome, LoadError>.success(.ended)
    bytes.withUnsafeBytes { bytes in
      do throws(LoadError) { outcome = .success(try parser.consume(bytes)) } catch { outcome = .failure(error) }
    }
    return try outcome.get()
  }

  private static func lines(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var (cutter, told) = (LineCutter(limit: 4096), [String]())
    do {
      for piece in pieces {
        cutter.refill(Data(piece))
        while let line = try cutter.nextLine() { told.append("\(line.number): \(Array(line.content))") }
      }
      if let line = try cutter.finish() { told.append("\(line.number): \(Array(line.content))") }
    } catch { return told + ["too long"] }
    return told
  }
}
