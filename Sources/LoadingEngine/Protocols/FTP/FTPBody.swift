import FTPTransport
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The bytes of one transfer as they come, and at their end a check of the server's reply that the transfer is complete. Confined to its load.
final class FTPBody: BodyReader {
  private let connection: FTPConnection
  private let stream: FTPStream
  /// The number of bytes up to the file's end; nil if unknown.
  private let length: Int64?
  /// The number of bytes to return; nil for all up to the file's end.
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
      // The rest of the file, which the server still sends, may be long: the session ends without QUIT.
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
    // A reply that isn't a completion says that bytes are missing, however many have come (RFC 959, 4.2.2: 426, 451).
    if let reply = try await lastReply(), !reply.isCompletion {
      connection.end()
      throw FTPRefusal.error(reply, at: .retrieve(isThere: true))
    }
    connection.quit()
    connection.load.record.responseEnd = connection.load.clock.now
    guard received >= (length ?? 0) else {
      throw LoadError(
        .networkConnectionLost, .body, "the transfer ended after \(received) of \(length ?? 0) bytes; load the rest by a Range field")
    }
  }

  /// The server's reply at the end of the transfer. Nil if the control connection has closed although the whole file has arrived: routers forget
  /// connections that are silent during a long transfer.
  private func lastReply() async throws(LoadError) -> FTPReply? {
    do throws(LoadError) {
      return try await connection.finalReply()
    } catch {
      guard error.kind == .networkConnectionLost, let length, received == length, connection.load.failure == nil else {
        connection.end()
        throw error
      }
      return nil
    }
  }
}
