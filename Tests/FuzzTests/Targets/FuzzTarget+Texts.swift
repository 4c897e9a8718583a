import Foundation
import LoadingModel

@testable import ProtocolRules

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
    FuzzTarget("data-url", seeds: ["data:text/plain;charset=utf-8;base64,aGk=", "data:,%41%", "data:;base64, a G k", "data:a/b;c=\",d"]) {
      bytes in
      var input = FuzzInput(bytes)
      _ = DataURL.parse(input.text())
    },
    FuzzTarget("base64", seeds: ["aGk=", " a\nG k", "a", "===="]) { bytes in
      guard let decoded = ForgivingBase64.decode(bytes) else { return }
      expect(ForgivingBase64.decode(Data(decoded).base64EncodedString().utf8) == decoded, "not the same there and back")
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
