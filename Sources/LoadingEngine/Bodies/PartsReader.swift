import HTTPTransport
import LoadingModel
import NIOCore

/// Reads a body of data and files piece by piece: one file is open at a time. Confined to the load that reads it.
final class PartsReader: BodyReader, @unchecked Sendable {
  // @unchecked: made on another thread, and handed to the load before the first read; from then on confined to the load.
  private var pieces: ArraySlice<(part: BodyParts.Part, range: Range<Int64>)>
  private var current: (any BodyReader)?
  /// The number of bytes that are read in all.
  let length: Int64

  private init(_ pieces: [(part: BodyParts.Part, range: Range<Int64>)]) {
    self.pieces = pieces[...]
    length = pieces.reduce(0) { $0 + Int64($1.range.count) }
  }

  /// - Parameters:
  ///   - start: The index of the first byte of the body to read.
  ///   - end: The index after the last byte to read; nil for the body's end.
  /// - Returns: The error if a file is missing or has changed: it is known before the first byte is sent.
  static func opened(_ body: BodyParts, from start: Int64, upTo end: Int64?) async -> Result<PartsReader, LoadError> {
    let end = min(end ?? body.length, body.length)
    let pieces = body.pieces(in: min(start, end)..<end)
    let parts = pieces.map(\.part)
    if let failure = await runBlocking({ PartsReader.problem(with: parts) }) { return .failure(failure) }
    return .success(PartsReader(pieces))
  }

  private static func problem(with parts: [BodyParts.Part]) -> LoadError? {
    do throws(LoadError) {
      for part in parts { try part.checkBlocking() }
      return nil
    } catch {
      return error
    }
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    while true {
      if let piece = try await current?.next() { return piece }
      current = nil
      guard let (part, range) = pieces.popFirst() else { return nil }
      switch part {
      case .data(let data):
        current = DataReader(data.dropFirst(Int(range.lowerBound)).prefix(range.count))
      case .file(let path, let facts):
        let file = try await FileReader.opened(path: path, isWatched: true).get()
        guard file.facts == facts else { throw BodyParts.changed(path) }
        current = file.limited(to: range)
      }
    }
  }

  func abandon() {
    pieces = []
    current = nil
  }
}
