/// Reads the kernel's messages about changes of its networks (rtnetlink(7)).
package enum KernelMessages {
  /// Whether links or addresses have changed; if not, the messages are about routes alone.
  ///
  /// - Parameter bytes: The bytes of one read from the netlink socket: messages in the machine's own byte order.
  package static func concernAddresses(_ bytes: [UInt8]) -> Bool {
    var offset = 0
    // A message is at least as long as its header, so that the loop ends.
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

  /// The length in bytes of a message's header, `struct nlmsghdr`.
  private static let headLength = 16
}
