import Foundation
@testable import LoadingModel
import NIOCore

@testable import HTTPTransport
@testable import ProtocolRules

extension FuzzTarget {
  private static let heads = [
    "\u{1}HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello",
    "\u{3}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "\u{20}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
    "\u{7}HTTP/1.1 200\r\nA: b\r\n c\r\n\r\nuntil the end",
  ]

  static let http1 = [
    // Heads and bodies as a connection reads them, in pieces of any size, and all at once: the same comes of it.
    FuzzTarget("http1-response", seeds: heads) { bytes in
      var input = FuzzInput(bytes)
      let pieces = input.pieces()
      let whole = pieces.flatMap { $0 }
      let (one, other) = (read(pieces), read([whole[...]]))
      expect(one == other, "in pieces: \(one), at once: \(other)")
    },
    FuzzTarget("http1-chunks", seeds: ["5\r\nhello\r\n0\r\n\r\n", "a;n=v\r\n0123456789\r\n0\r\nA: b\r\n\r\n"]) { bytes in
      var parser = ChunkedBodyParser()
      Array(bytes).withUnsafeBytes { all in
        var start = 0
        for _ in 0...all.count {
          guard case .data(let skip, let count) = parser.consume(UnsafeRawBufferPointer(rebasing: all[start...])) else { return }
          expect(skip >= 0 && count > 0 && start + skip + count <= all.count, "data beyond what there is")
          start += skip + count
        }
      }
    },
  ]

  /// What is made of a response: heads, bytes of the body, how it ends.
  private static func read(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var (reader, told, count) = (ResponseReader(), [String](), 0)
    reader.expectHead()
    for piece in pieces {
      reader.append(ByteBuffer(bytes: piece))
      do throws(LoadError) {
        while let event = try reader.next() {
          switch event {
          case .head(let head, length: _):
            told.append("\(head.status) \(head.headers.entries.map { "\($0.name): \($0.value)" })")
            if (100..<200).contains(head.status), head.status != 101 {
              reader.expectHead()
            } else {
              reader.read(body: try ResponseBodyRules.framing(method: "GET", head: head))
            }
          case .body(let body): count += body.readableBytes
          case .end(let trailers):
            told.append("end after \(count), \(trailers.count)")
            return told
          }
        }
      } catch {
        return told + ["\(error.kind) after \(count)"]
      }
    }
    return told + ["open after \(count)"]
  }
}
