import FTPTransport
import HTTPPolicy
import HTTPTransport
import LoadingModel
import NIOCore

/// The bytes of one transfer, as they come, and at their end the server's word that they were all. Confined to its load.
final class FTPBody: BodyReader {
  private let connection: FTPConnection
  private let stream: FTPStream
  /// Bytes up to the file's end, if known.
  private let length: Int64?
  /// Bytes after which nobody wants more; nil to take all.
  private let wanted: Int64?
  private var received: Int64 = 0
  private var hasEnded = false

  init(_ connection: FTPConnection, _ stream: FTPStream, length: Int64?, wanted: Int64? = nil) {
    self.connection = connection
    self.stream = stream
    self.length = length
    self.wanted = wanted
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    guard !hasEnded else { return nil }
    if let wanted, received >= wanted {
      // The rest of the file may be long: the session is over without a farewell.
      hasEnded = true
      connection.end()
      return nil
    }
    guard var piece = try await stream.next() else {
      hasEnded = true
      try await finish()
      return nil
    }
    if let wanted, Int64(piece.readableBytes) > wanted - received {
      piece = piece.getSlice(at: piece.readerIndex, length: Int(wanted - received)) ?? piece
    }
    received += Int64(piece.readableBytes)
    connection.load.record.responseBodyBytes += Int64(piece.readableBytes)
    return piece
  }

  func abandon() {
    hasEnded = true
    connection.end()
  }

  private func finish() async throws(LoadError) {
    do throws(LoadError) {
      let reply = try await connection.finalReply()
      guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .retrieve(isThere: true)) }
    } catch {
      // Routers forget control connections that were silent for the time of a long transfer.
      guard error.kind == .networkConnectionLost, let length, received == length, connection.load.failure == nil else {
        connection.end()
        throw error
      }
    }
    connection.quit()
    connection.load.record.responseEnd = connection.load.clock.now
    guard received >= (length ?? 0) else {
      throw LoadError(
        .networkConnectionLost, .body, "the transfer ended after \(received) of \(length ?? 0) bytes; load the rest by a Range field")
    }
  }
}
