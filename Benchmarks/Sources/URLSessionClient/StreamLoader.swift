#if !FOUNDATION_NETWORKING_PEER
  import Foundation
  import URLLoadingSystem

  /// Iterates over the body and keeps nothing of it.
  struct StreamLoader: Loader {
    enum Unit: Sendable {
      case chunks, bytes, lines
      /// Where `bytes` is no actor's.
      case bytesInActor, bytesOnMainActor
      /// By a sequence of the benchmark's own on the main actor, which `bytes` is compared with there.
      case ownBytesOnMainActor
    }

    let session: URLSession
    let reads: Unit

    func load(_ request: URLRequest) async throws -> Int {
      let (bytes, response) = try await session.bytes(for: request)
      try requireSuccess(response)
      var count = 0
      switch reads {
      case .chunks: for try await chunk in bytes.chunks { count += chunk.count }
      case .bytes: for try await _ in bytes { count += 1 }
      case .bytesInActor: count = try await Counter().count(bytes)
      case .bytesOnMainActor: count = try await StreamLoader.countOnMainActor(bytes)
      case .ownBytesOnMainActor: count = try await StreamLoader.countOnMainActor(OwnBytes(chunks: bytes.chunks))
      case .lines:
        // Each line with its end, which the last of a part may lack.
        for try await line in bytes.lines { count += line.utf8.count + 1 }
        count = min(count, Int(response.expectedContentLength))
      }
      return count
    }

    /// The way of most apps: a model that is an actor.
    private actor Counter {
      func count(_ bytes: URLSession.AsyncBytes) async throws -> Int {
        var count = 0
        for try await _ in bytes { count += 1 }
        return count
      }
    }

    @MainActor private static func countOnMainActor(_ bytes: URLSession.AsyncBytes) async throws -> Int {
      var count = 0
      for try await _ in bytes { count += 1 }
      return count
    }

    @MainActor private static func countOnMainActor(_ bytes: OwnBytes) async throws -> Int {
      var count = 0
      for try await _ in bytes { count += 1 }
      return count
    }

    /// The bytes of pieces, as anybody would write it who knows that a `next()` without isolation leaves the main actor for each byte.
    private struct OwnBytes: AsyncSequence {
      typealias Element = UInt8

      let chunks: URLSession.AsyncChunks

      func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

      struct Iterator: AsyncIteratorProtocol {
        var chunks: URLSession.AsyncChunks.AsyncIterator
        var piece: [UInt8] = []
        var position = 0

        mutating func next() async throws -> UInt8? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
          while position == piece.count {
            guard let chunk = try await chunks.next(isolation: actor) else { return nil }
            piece = [UInt8](chunk)
            position = 0
          }
          position += 1
          return piece[position - 1]
        }
      }
    }
  }
#endif
