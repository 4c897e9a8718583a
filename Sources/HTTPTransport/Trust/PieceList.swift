import Foundation

/// Collects the byte strings that a C function passes to its callback `receive`. Used for one call.
final class PieceList {
  private(set) var pieces: [Data] = []

  /// The context pointer for `receive`; valid while this object lives.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let receive: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void = { context, bytes, count in
    guard let context else { return }
    let piece = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    Unmanaged<PieceList>.fromOpaque(context).takeUnretainedValue().pieces.append(piece)
  }
}
