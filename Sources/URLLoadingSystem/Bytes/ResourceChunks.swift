import Foundation
import LoadingModel

/// The bytes of any URL in pieces: of a file or of a load, begun with the first piece. Owned by one iterator of `URL.AsyncBytes`.
final class ResourceChunks: ByteChunkSource {
  private let url: URL
  private let opened = Mutex<(any ByteChunkSource<any Error>)?>(nil)

  init(_ url: URL) { self.url = url }

  func nextChunk(isolation: isolated (any Actor)?) async throws -> Data? {
    if let source = opened.withLock({ $0 }) { return try await source.nextChunk(isolation: isolation) }
    let source = try await open()
    opened.withLock { $0 = source }
    return try await source.nextChunk(isolation: isolation)
  }

  private func open() async throws -> any ByteChunkSource<any Error> {
    if url.isFileURL { return FileChunks(url) }
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    return bytes.makeAsyncIterator().chunkSource
  }
}
