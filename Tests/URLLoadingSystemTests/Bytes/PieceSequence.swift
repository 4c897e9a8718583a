import Foundation
import LoadingModel

@testable import URLLoadingSystem

/// Bytes that offer no pieces: the text sequences must take them one by one.
struct SingleBytes: AsyncSequence, Sendable {
  typealias Element = UInt8
  typealias Failure = Never

  let bytes: [UInt8]

  struct Iterator: AsyncIteratorProtocol {
    var remaining: ArraySlice<UInt8>
    mutating func next() async -> UInt8? { remaining.popFirst() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(remaining: bytes[...]) }
}

/// Bytes in pieces of a chosen size, with an error after the last one if asked for.
struct PieceSequence: AsyncSequence, Sendable {
  typealias Element = UInt8
  typealias Failure = any Error

  struct Broken: Error, Equatable {}

  let bytes: [UInt8]
  let pieceSize: Int
  var breaks = false

  final class Source: ByteChunkSource {
    private let remaining: Mutex<ArraySlice<UInt8>>
    private let pieceSize: Int
    private let breaks: Bool

    init(_ sequence: PieceSequence) {
      remaining = Mutex(sequence.bytes[...])
      pieceSize = sequence.pieceSize
      breaks = sequence.breaks
    }

    func nextChunk(isolation: isolated (any Actor)?) async throws -> Data? {
      let piece = remaining.withLock { remaining in
        let piece = remaining.prefix(pieceSize)
        remaining = remaining.dropFirst(pieceSize)
        return piece
      }
      if !piece.isEmpty { return Data(piece) }
      if breaks { throw Broken() }
      return nil
    }
  }

  struct Iterator: ChunkedByteIterator, Sendable {
    typealias Element = UInt8
    typealias Failure = any Error

    let chunkSource: any ByteChunkSource<any Error>

    // Taking a byte here would bypass the pieces: the tests must notice.
    mutating func next() async throws -> UInt8? { throw Broken() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunkSource: Source(self)) }
}

/// Collects a sequence.
func collect<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
  var elements: [S.Element] = []
  for try await element in sequence { elements.append(element) }
  return elements
}
