import Foundation
import LoadingModel

@testable import Stores

/// Responses to store, and a clock that doesn't advance.
enum CacheSamples {
  static let noon = Date(timeIntervalSinceReferenceDate: 800_000_000)

  static func response(
    _ url: String, etag: String = "\"1\"", sent: HeaderFields = HeaderFields(), at time: Date = noon, policy: Int = 0
  ) -> StoredResponse {
    let head = ResponseHead(
      status: 200, reason: "OK", headers: HeaderFields([("Content-Type", "text/plain"), ("ETag", etag), ("Cache-Control", "max-age=60")]))
    return StoredResponse(url: url, head: head, requestFields: sent, requestTime: time, responseTime: time, storagePolicy: policy)
  }

  /// Bytes that say whose they are and how many, so that a mixture or a piece is noticed.
  static func body(_ seed: Int, count: Int) -> Data {
    var state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 | 1
    var bytes = [UInt8](repeating: 0, count: count)
    for index in bytes.indices {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes[index] = UInt8(truncatingIfNeeded: state)
    }
    return Data(bytes)
  }

  static func cache(
    _ folder: TemporaryFolder, memory: Int = 512_000, disk: Int = 10_000_000, now: @escaping @Sendable () -> Date = { noon }
  ) -> ResponseCache {
    ResponseCache(memoryCapacity: memory, diskCapacity: disk, directory: folder.url, now: now)
  }
}

extension ResponseCache {
  /// Stores through a writer, as a load does.
  func receive(_ response: StoredResponse, _ pieces: [Data]) async -> Bool {
    guard let writer = beginStoring(response, expectedLength: nil) else { return false }
    for piece in pieces {
      guard await writer.append(piece) else { return false }
    }
    await writer.commit(response)
    return true
  }

  /// All of a body, read piece by piece.
  func wholeBody(_ response: StoredResponse, pieceSize: Int = 10_000) async throws -> Data? {
    guard let body = await openBody(response) else { return nil }
    defer { body.close() }
    var result = Data()
    while Int64(result.count) < body.length {
      let piece = try await body.read(from: Int64(result.count), upTo: pieceSize)
      guard !piece.isEmpty else { break }
      result += piece
    }
    return result
  }
}
