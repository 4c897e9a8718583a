import Foundation
import LoadingModel

/// The input stream for a body that consists of data and files, such as a form. Used by one thread at a time.
final class PartsStream: InputStream {
  private enum Source {
    case data(Data)
    /// An open file, and the number of its bytes that haven't been read yet.
    case file(FileHandle, rest: Int64)
  }

  private var parts: ArraySlice<BodyParts.Part>
  private var source: Source?
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  init(_ body: BodyParts) {
    parts = body.parts[...]
    super.init(data: Data())
  }

  override func open() { if status == .notOpen { status = .open } }

  override func close() {
    status = .closed
    source = nil
    parts = []
  }

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }
  override var hasBytesAvailable: Bool { status == .open }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard status == .open, len > 0 else { return status == .atEnd || len == 0 ? 0 : -1 }
    do {
      while true {
        if let piece = try nextPiece(len) {
          piece.copyBytes(to: buffer, count: piece.count)
          return piece.count
        }
        guard let part = parts.popFirst() else {
          status = .atEnd
          return 0
        }
        source = try open(part)
      }
    } catch {
      (failure, status, source) = (error, .error, nil)
      return -1
    }
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  /// The next bytes of the current part, at most `count`; nil when the part has been read.
  private func nextPiece(_ count: Int) throws -> Data? {
    switch source {
    case nil: return nil
    case .data(let data):
      let piece = data.prefix(count)
      source = piece.count < data.count ? .data(data.dropFirst(piece.count)) : nil
      return piece.isEmpty ? nil : piece
    case .file(let handle, let rest):
      guard rest > 0 else {
        source = nil
        return nil
      }
      guard let piece = try handle.read(upToCount: Int(min(Int64(count), rest))), !piece.isEmpty else {
        throw LoadError(.requestBodyStreamExhausted, .send, "a file of the body became shorter while it was read").urlError(failingURL: nil)
      }
      source = .file(handle, rest: rest - Int64(piece.count))
      return piece
    }
  }

  private func open(_ part: BodyParts.Part) throws -> Source {
    switch part {
    case .data(let data): return .data(data)
    case .file(let path, let facts):
      do throws(LoadError) {
        try part.checkBlocking()
      } catch {
        throw error.urlError(failingURL: nil)
      }
      return .file(try FileHandle(forReadingFrom: URL(filePath: path, directoryHint: .notDirectory)), rest: facts.size)
    }
  }
}
