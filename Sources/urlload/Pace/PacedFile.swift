import Foundation

/// The bytes of a file or of standard input, read as fast as `--limit-rate` allows.
struct PacedFile: AsyncSequence, Sendable {
  private static let pieceSize = 16 * 1024

  let path: String
  let pace: SharedPace

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let handle: FileHandle?
    fileprivate let pace: SharedPace

    mutating func next() async throws -> Data? {
      guard let handle, let piece = try handle.read(upToCount: PacedFile.pieceSize), !piece.isEmpty else { return nil }
      try await pace.takeSending(piece.count)
      return piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(handle: FileHandle(forReadingAtPath: path), pace: pace) }
}
