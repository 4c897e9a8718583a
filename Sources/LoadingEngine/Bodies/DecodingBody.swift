import CLoadingCompression
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// A body with one content coding decoded: it reads encoded pieces from another body, and returns decoded ones of limited size.
///
/// Confined to the load that reads it.
final class DecodingBody: BodyReader {
  /// The most bytes of one piece, however far a few encoded bytes expand.
  private static let pieceSize = 64 * 1024

  private enum State {
    case decoding
    case ended
  }

  private let source: any BodyReader
  private let coding: ContentCoding
  private let decoder: OpaquePointer
  private var input = ByteBuffer()
  private var state = State.decoding
  private var hasInput = false
  /// Whether a member or frame has ended and no further byte has come, so that the body may end here.
  private var isAtBoundary = true
  private var growth: ContentGrowthRules
  /// Whether `source` has the bytes as received, rather than decoded by another `DecodingBody`.
  private let isInnermost: Bool

  /// - Parameter limit: The most decoded bytes; nil for no limit but the ratio of `ContentGrowthRules`.
  init(_ source: any BodyReader, _ coding: ContentCoding, limit: Int64? = nil) throws(LoadError) {
    guard let kind = coding.shim, let decoder = uls_decoder_create(kind) else {
      throw LoadError(.cannotDecodeContentData, .decode, "there is no decoder for the body's content coding")
    }
    self.source = source
    self.coding = coding
    let below = source as? DecodingBody
    isInnermost = below == nil
    growth = ContentGrowthRules(limit: limit, below?.growth.received ?? ContentGrowthRules.Received())
    self.decoder = decoder
  }

  deinit { uls_decoder_destroy(decoder) }

  func abandon() { source.abandon() }
  func interrupt() { source.interrupt() }

  func next() async throws(LoadError) -> ByteBuffer? {
    while state == .decoding {
      let piece = try step()
      if piece.readableBytes > 0 { return piece }
      if state != .decoding { break }
      // An empty member has ended: the next one begins in the same input.
      if hasInput { continue }
      // There was no output: the decoder needs more input to continue.
      guard let more = try await source.next() else {
        guard isAtBoundary else {
          throw LoadError(.cannotDecodeRawData, .decode, "the compressed body ends in the middle; the server sent too little")
        }
        state = .ended
        return nil
      }
      if isInnermost { growth.received.take(more.readableBytes) }
      input.writeImmutableBuffer(more)
      hasInput = true
    }
    // Bytes after the end of the encoded stream aren't part of the content; they are read so that the connection stays usable.
    while try await source.next() != nil {}
    return nil
  }

  private func step() throws(LoadError) -> ByteBuffer {
    var output = ByteBufferAllocator().buffer(capacity: hasInput ? DecodingBody.pieceSize : 0)
    guard hasInput else { return output }
    var status = ULS_DECODE_PROGRESS
    var consumed = 0
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: DecodingBody.pieceSize) { out in
      var outLength = DecodingBody.pieceSize
      input.withUnsafeReadableBytes { bytes in
        var inLength = bytes.count
        status = uls_decoder_step(
          decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &inLength,
          out.baseAddress?.assumingMemoryBound(to: UInt8.self), &outLength)
        consumed = inLength
      }
      return outLength
    }
    try growth.take(decoded: output.readableBytes)
    input.moveReaderIndex(forwardBy: consumed)
    if input.readableBytes == 0 { input.clear() }
    switch status {
    case ULS_DECODE_ERROR:
      throw LoadError(.cannotDecodeRawData, .decode, "the body is not what its Content-Encoding says")
    case ULS_DECODE_DONE:
      isAtBoundary = true
      // RFC 1952, 2.2 and RFC 8878, 3: after the end of a gzip member or Zstandard frame, another one may follow; other bytes are left unread.
      let mayGoOn = coding == .gzip || coding == .zstd
      if !mayGoOn || (consumed == 0 && input.readableBytes > 0) { state = .ended }
    default:
      if consumed > 0 || output.readableBytes > 0 { isAtBoundary = false }
    }
    if output.readableBytes == 0, consumed == 0 || input.readableBytes == 0 { hasInput = input.readableBytes > 0 && consumed > 0 }
    return output
  }
}

extension ContentCoding {
  var shim: uls_coding? {
    switch self {
    case .gzip: ULS_CODING_GZIP
    case .deflate: ULS_CODING_DEFLATE
    case .br: ULS_CODING_BROTLI
    case .zstd: ULS_CODING_ZSTD
    case .identity: nil
    }
  }
}

extension ContentDecoders {
  /// The content codings that this process can decode: zlib's always, Brotli and Zstandard if their libraries are installed.
  package static let available: ContentDecoders = {
    var result: ContentDecoders = [.gzip, .deflate]
    if uls_decoder_available(ULS_CODING_BROTLI) != 0 { result.insert(.brotli) }
    if uls_decoder_available(ULS_CODING_ZSTD) != 0 { result.insert(.zstd) }
    return result
  }()
}

extension AcceptEncoding {
  /// The codings that this process can decode. Brotli and Zstandard are offered over TLS only, so that their libraries are looked for only then.
  static let available = AcceptEncoding(plain: ContentDecoders([.gzip, .deflate]).acceptEncoding(secure: false)) { availableSecure }
  private static let availableSecure = ContentDecoders.available.acceptEncoding(secure: true)
}
