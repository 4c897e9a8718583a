import LoadingModel
import NIOCore

/// A body of which the beginning (a piece, its end, or an error) was read in advance. Confined to the load.
final class PeekedBody: BodyReader {
  private var first: Result<ByteBuffer?, LoadError>?
  private let rest: any BodyReader

  init(_ first: Result<ByteBuffer?, LoadError>, _ rest: any BodyReader) {
    let isEmpty = if case .success(let piece?) = first { piece.readableBytes == 0 } else { false }
    self.first = isEmpty ? nil : first
    self.rest = rest
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    guard let first else { return try await rest.next() }
    self.first = nil
    return try first.get()
  }

  func abandon() { rest.abandon() }
  func interrupt() { rest.interrupt() }
}
