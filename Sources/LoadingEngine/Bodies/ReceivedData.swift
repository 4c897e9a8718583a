import Foundation
import NIOCore
import NIOFoundationCompat

extension Data {
  /// Bytes below which copying a piece costs less than keeping its buffer from being read into again.
  private static let copyLimit = 8 * 1024

  /// What has been received, to be kept: small pieces are copied, large ones share the buffer.
  package init(received piece: ByteBuffer) {
    self.init(buffer: piece, byteTransferStrategy: piece.readableBytes < Data.copyLimit ? .copy : .noCopy)
  }
}
