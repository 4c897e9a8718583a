import Foundation
import NIOCore
import NIOFoundationCompat

extension Data {
  /// Bytes below which copying a piece costs less than sharing its buffer, which then can't be used for the next read.
  private static let copyLimit = 8 * 1024

  /// Received bytes that are to be kept: small pieces are copied, large ones share the buffer.
  package init(received piece: ByteBuffer) {
    self.init(buffer: piece, byteTransferStrategy: piece.readableBytes < Data.copyLimit ? .copy : .noCopy)
  }
}
