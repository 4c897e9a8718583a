/// Reads what the kernel says about its networks (rtnetlink(7)).
package enum KernelMessages {
  /// Whether links or addresses are different now; routes alone otherwise.
  ///
  /// - Parameter bytes: What one reading of the socket has brought: messages in the machine's own byte order.
  package static func concernAddresses(_ bytes: [UInt8]) -> Bool {
    var offset = 0
    // A message is at least as long as its head: the loop comes to an end.
    while offset + headLength <= bytes.count {
      let (length, kind) = bytes.withUnsafeBytes { bytes in
        (
          Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)),
          bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
        )
      }
      // RTM_NEWLINK, RTM_DELLINK, RTM_SETLINK, RTM_NEWADDR, RTM_DELADDR.
      if [16, 17, 19, 20, 21].contains(kind) { return true }
      guard length >= headLength else { return false }
      offset += (length + 3) & ~3
    }
    return false
  }

  /// Bytes of `struct nlmsghdr`.
  private static let headLength = 16
}
