/// Masks payloads (RFC 6455, 5.3): octet i is XORed with octet i modulo 4 of the key.
package enum WebSocketMask {
  private typealias Block = SIMD4<UInt64>

  /// Copies `source` to the beginning of `target`, masked by `key`, whose bytes in memory are those on the wire.
  package static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, key: UInt32) {
    precondition(target.count >= source.count)
    guard let from = source.baseAddress, let to = target.baseAddress else { return }
    let count = source.count
    let word = UInt64(key) | UInt64(key) << 32
    let block = Block(repeating: word)
    var index = 0
    while index &+ MemoryLayout<Block>.size <= count {
      let masked = from.loadUnaligned(fromByteOffset: index, as: Block.self) ^ block
      to.storeBytes(of: masked, toByteOffset: index, as: Block.self)
      index &+= MemoryLayout<Block>.size
    }
    while index &+ 8 <= count {
      to.storeBytes(of: from.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    withUnsafeBytes(of: key) { key in
      while index < count {
        to.storeBytes(of: from.load(fromByteOffset: index, as: UInt8.self) ^ key[index & 3], toByteOffset: index, as: UInt8.self)
        index &+= 1
      }
    }
  }
}
