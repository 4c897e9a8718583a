import CLoadingCompression
import Foundation

/// The checksums of a stored body, one for each block, by which bytes that a disk or another program has changed are noticed before they are used.
///
/// They are stored behind the body, in its file or row: eight bytes a block, little-endian. The body's id and the block's number are part of each
/// sum, so that another body's bytes or exchanged blocks are noticed as well. They detect damage, not forgery: a process that may write the cache's
/// files may write both.
struct BodyChecksums: Sendable, Equatable {
  /// Bytes of a block; the last block of a body may be shorter.
  static let blockSize = 64 * 1024
  private static let width = MemoryLayout<UInt64>.size

  let id: Int64
  private(set) var sums: [UInt64] = []

  /// Checksums for a body to which blocks are appended.
  init(id: Int64) { self.id = id }

  /// Bytes that the checksums of a body of `length` bytes take.
  static func size(ofBody length: Int64) -> Int64 { (length / Int64(blockSize) + (length % Int64(blockSize) > 0 ? 1 : 0)) * Int64(width) }

  /// Decodes what `encoded` has made; nil if it doesn't have the size for a body of `length` bytes.
  init?(id: Int64, encoded: Data, length: Int64) {
    guard Int64(encoded.count) == BodyChecksums.size(ofBody: length) else { return nil }
    self.id = id
    sums = encoded.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: BodyChecksums.width).map {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
      }
    }
  }

  var encoded: Data {
    var data = Data(capacity: sums.count * BodyChecksums.width)
    for sum in sums { withUnsafeBytes(of: sum.littleEndian) { data.append(contentsOf: $0) } }
    return data
  }

  /// Adds the checksums of the next bytes. All calls but the last must bring whole blocks.
  mutating func append(_ bytes: Data) {
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: BodyChecksums.blockSize) {
        sums.append(sum(bytes, start, block: sums.count))
      }
    }
  }

  /// Whether `bytes` are the body's bytes from the start of block number `first` on. They must be whole blocks, or end with the body.
  func match(_ bytes: Data, from first: Int) -> Bool {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: BodyChecksums.blockSize).allSatisfy { start in
        let block = first + start / BodyChecksums.blockSize
        return block < sums.count && sums[block] == sum(bytes, start, block: block)
      }
    }
  }

  private func sum(_ bytes: UnsafeRawBufferPointer, _ start: Int, block: Int) -> UInt64 {
    let count = min(BodyChecksums.blockSize, bytes.count - start)
    let seed = UInt64(bitPattern: id) &+ UInt64(block)
    return uls_checksum(bytes.baseAddress?.advanced(by: start), count, seed)
  }

  /// A small body followed by its checksums, as a row of the database stores it.
  static func sealed(_ body: Data, id: Int64) -> Data {
    var sums = BodyChecksums(id: id)
    sums.append(body)
    return body + sums.encoded
  }

  /// The body in a row that `sealed` has made; nil if it doesn't match its checksums.
  static func opened(_ row: Data, id: Int64, length: Int64) -> Data? {
    guard let count = Int(exactly: length), Int64(row.count) - size(ofBody: length) == length,
      let sums = BodyChecksums(id: id, encoded: row.suffix(row.count - count), length: length)
    else { return nil }
    let body = Data(row.prefix(count))
    return sums.match(body, from: 0) ? body : nil
  }
}
