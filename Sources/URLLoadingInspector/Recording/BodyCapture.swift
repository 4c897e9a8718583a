#if Inspector
  import Foundation
  import NIOCore

  /// Copies the beginning of a body while its pieces are sent or received. Confined to the event loop of its load.
  struct BodyCapture {
    private let limit: Int
    private let budget: ByteBudget
    private var bytes: [UInt8] = []
    /// The number of bytes of all pieces so far, captured or not.
    private(set) var size: Int64 = 0

    init(limit: Int, budget: ByteBudget) { (self.limit, self.budget) = (limit, budget) }

    mutating func append(_ piece: ByteBuffer) {
      size += Int64(piece.readableBytes)
      // Only the body's beginning is captured: after a piece that didn't fit, later pieces aren't appended.
      guard size - Int64(piece.readableBytes) == Int64(bytes.count) else { return }
      let count = min(piece.readableBytes, limit - bytes.count)
      guard count > 0, budget.take(count) else { return }
      // Copied, because keeping the piece would keep the larger buffer that it may be a slice of.
      piece.withUnsafeReadableBytes { bytes.append(contentsOf: $0.prefix(count)) }
    }

    /// Returns the captured body after redaction, and resets the capture; nil if there were no bytes.
    /// - Parameter isPart: Whether the body may be incomplete, because the load failed or it is a range of a representation (RFC 9110, 14.4).
    mutating func take(_ mediaType: String, _ redactor: Redactor, isPart: Bool) -> RecordedBody? {
      defer { (bytes, size) = ([], 0) }
      guard size > 0 else { return nil }
      let isCut = size > Int64(bytes.count)
      let redacted = redactor.body(Data(bytes), mediaType: mediaType, isCut: isCut || isPart)
      budget.giveBack(bytes.count)
      guard budget.take(redacted.count) else { return RecordedBody(Data(), size: size, isCut: true) }
      return RecordedBody(redacted, size: size, isCut: isCut, budget: budget)
    }

    /// Discards the captured bytes and returns them to the budget, when the load ends without a recorded body.
    mutating func drop() {
      if !bytes.isEmpty { budget.giveBack(bytes.count) }
      (bytes, size) = ([], 0)
    }
  }
#endif
