import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat
import Stores

/// Reads a range of a stored body. Confined to the load that reads it.
final class StoredBodyReader: BodyReader {
  /// The most bytes of one piece.
  static let pieceSize = 128 * 1024

  private enum Source {
    case memory(Data)
    case store(any StoredBody)
    case ended
  }

  private var source: Source
  private var offset: Int64
  private let end: Int64
  private var first: ByteBuffer?
  /// Called once if the body can't be read, or is damaged.
  var isDamaged: (() -> Void)?
  /// The context of the load that waits for the disk; nil for a body in memory.
  private let context: LoadContext?

  init(_ body: Data, range: Range<Int64>) {
    source = .memory(body)
    context = nil
    offset = range.lowerBound
    end = min(range.upperBound, Int64(body.count))
  }

  /// Reads the first piece before the body is used as an answer: if the body is missing, that is a cache miss and not a failure.
  init?(_ body: any StoredBody, range: Range<Int64>, _ context: LoadContext) async {
    self.context = context
    offset = range.lowerBound
    end = range.upperBound
    if let data = body.immediate {
      source = .memory(data)
      guard Int64(data.count) >= range.upperBound else { return nil }
      return
    }
    source = .store(body)
    guard body.length >= range.upperBound else {
      body.close()
      return nil
    }
    guard !range.isEmpty else { return }
    guard let piece = try? await read(from: body) else {
      body.close()
      return nil
    }
    first = piece
  }

  deinit { abandon() }

  func nextAtOnce() -> BodyArrival {
    if let piece = first.take() { return .piece(piece) }
    guard offset < end else {
      abandon()
      return .end
    }
    switch source {
    case .ended: return .end
    case .memory(let data):
      let start = data.startIndex + Int(offset)
      let count = min(StoredBodyReader.pieceSize, Int(end - offset))
      offset += Int64(count)
      return .piece(ByteBuffer(data: data[start..<start + count]))
    case .store: return .nothingYet
    }
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    switch (nextAtOnce(), source) {
    case (.piece(let piece), _): return piece
    case (.end, _), (_, .ended), (_, .memory): return nil
    case (.nothingYet, .store(let body)):
      do {
        return try await read(from: body)
      } catch {
        try context?.checkpoint()
        isDamaged.take()?()
        throw LoadError(
          .resourceUnavailable, .body, "the cached body of the response can't be read any more, or was damaged; load it again")
      }
    }
  }

  private func read(from body: any StoredBody) async throws -> ByteBuffer {
    let (offset, count) = (offset, Int(min(Int64(StoredBodyReader.pieceSize), end - offset)))
    let data: Data
    if let context {
      data = try await AppWait.disk(context) { await StoredBodyReader.piece(body, offset, count) }.get()
    } else {
      data = try await body.read(from: offset, upTo: count)
    }
    guard !data.isEmpty else { throw LoadError(.resourceUnavailable, .body, "the cached body is shorter than it was") }
    self.offset += Int64(data.count)
    return ByteBuffer(data: data)
  }

  private static func piece(_ body: any StoredBody, _ offset: Int64, _ count: Int) async -> Result<Data, any Error> {
    do { return .success(try await body.read(from: offset, upTo: count)) } catch { return .failure(error) }
  }

  func abandon() {
    if case .store(let body) = source { body.close() }
    source = .ended
  }
}

/// An empty body, for the response to a HEAD and for responses that the library makes itself.
final class NoBody: BodyReader {
  func next() async throws(LoadError) -> ByteBuffer? { nil }
  func abandon() {}
}
