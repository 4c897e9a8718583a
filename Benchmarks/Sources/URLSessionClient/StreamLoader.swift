#if !FOUNDATION_NETWORKING_PEER
  import Foundation
  import URLLoadingSystem

  /// Iterates over the body and keeps nothing of it.
  struct StreamLoader: Loader {
    enum Unit: Sendable {
      case chunks, bytes, lines
      /// Where `bytes` is no actor's.
      case bytesInActor, bytesOnMainActor
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
  }
#endif
