import CLoadingCompression
import Foundation
import LoadingModel
import ProtocolRules

/// Decodes the content codings of a whole body in memory, for callers that can't wait asynchronously.
package enum DecodedContent {
  private static let pieceSize = 64 * 1024

  /// `body` without the codings that `head` names; nil if it can't be decoded, or would have more than `limit` bytes.
  package static func data(_ body: Data, head: ResponseHead, limit: Int) -> Data? {
    let decision = ContentCodingRules.decide(head: head, framing: .length(Int64(body.count)), decoders: ContentDecoders.available)
    guard case .decode(let codings) = decision else { return body }
    var data = body
    for coding in codings {
      guard let decoded = decode(data, coding, limit: limit) else { return nil }
      data = decoded
    }
    return data
  }

  private static func decode(_ body: Data, _ coding: ContentCoding, limit: Int) -> Data? {
    guard let kind = coding.shim, let decoder = uls_decoder_create(kind) else { return nil }
    defer { uls_decoder_destroy(decoder) }
    // RFC 1952, 2.2 and RFC 8878, 3: after the end of a gzip member or Zstandard frame, another one may follow.
    let mayGoOn = coding == .gzip || coding == .zstd
    var result = Data()
    var piece = [UInt8](repeating: 0, count: pieceSize)
    var offset = 0
    var isWhole = body.isEmpty
    while true {
      var (inLength, outLength) = (body.count - offset, pieceSize)
      let status = body.withUnsafeBytes { bytes in
        uls_decoder_step(
          decoder, bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self), &inLength, &piece, &outLength)
      }
      guard status != ULS_DECODE_ERROR else { return nil }
      offset += inLength
      guard result.count + outLength <= limit else { return nil }
      result.append(contentsOf: piece[..<outLength])
      if status == ULS_DECODE_DONE {
        isWhole = true
        // Bytes after the end that can't be another member are left unread: they aren't part of the content.
        if !mayGoOn || inLength == 0 || offset == body.count { break }
      } else if inLength == 0, outLength == 0 {
        break
      } else {
        isWhole = false
      }
    }
    return isWhole ? result : nil
  }
}
