#if Inspector
  import Foundation
  import NIOCore

  /// The beginning of a body that passes by. Confined to its load's event loop.
  struct BodyCapture {
    private let limit: Int
    private let budget: ByteBudget
    private var bytes: [UInt8] = []
    /// Bytes that have passed.
    private(set) var size: Int64 = 0

    init(limit: Int, budget: ByteBudget) { (self.limit, self.budget) = (limit, budget) }

    mutating func append(_ piece: ByteBuffer) {
      size += Int64(piece.readableBytes)
      // What follows a gap is no part of the beginning.
      guard size - Int64(piece.readableBytes) == Int64(bytes.count) else { return }
      let count = min(piece.readableBytes, limit - bytes.count)
      guard count > 0, budget.take(count) else { return }
      // Copied: the piece may be a small part of the memory that it is in.
      piece.withUnsafeReadableBytes { bytes.append(contentsOf: $0.prefix(count)) }
    }

    /// The recorded body, redacted; nil if none has passed. Begins anew.
    /// - Parameter isPart: Whether there may be more of it: the load failed, or the body is a range of another (RFC 9110, 14.4).
    mutating func take(_ mediaType: String, _ redactor: Redactor, isPart: Bool) -> RecordedBody? {
      defer { (bytes, size) = ([], 0) }
      guard size > 0 else { return nil }
      let isCut = size > Int64(bytes.count)
      let redacted = redactor.body(Data(bytes), mediaType: mediaType, isCut: isCut || isPart)
      budget.giveBack(bytes.count)
      guard budget.take(redacted.count) else { return RecordedBody(Data(), size: size, isCut: true) }
      return RecordedBody(redacted, size: size, isCut: isCut, budget: budget)
    }

    /// The load ends without its body being kept.
    mutating func drop() {
      if !bytes.isEmpty { budget.giveBack(bytes.count) }
      (bytes, size) = ([], 0)
    }
  }
#endif
