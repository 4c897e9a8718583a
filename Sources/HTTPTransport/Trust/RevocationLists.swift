import CLoadingBoringSSL
import Foundation

/// Certificate revocation lists (CRLs; RFC 5280, 5). Any thread may evaluate with them.
package final class RevocationLists: @unchecked Sendable {
  // @unchecked: the lists behind the immutable pointer are filled before it is shared; BoringSSL locks their sorting at the first look-up.
  let pointer: UnsafeMutableRawPointer
  package let count: Int
  private let contents: [Data]

  /// - Parameter contents: One list in DER each, or any number of them in PEM.
  /// - Returns: nil if one of them can't be read, or has no list.
  package init?(_ contents: [Data]) {
    guard let pointer = uls_tls_lists_new() else { return nil }
    self.pointer = pointer
    self.contents = contents
    let counts = contents.map { $0.withCTLSBytes { uls_tls_lists_add(pointer, $0) } }
    count = counts.reduce(0, +)
    if counts.isEmpty || counts.contains(0) { return nil }
  }

  deinit { uls_tls_lists_free(pointer) }
}

extension RevocationLists: Hashable {
  package static func == (left: RevocationLists, right: RevocationLists) -> Bool {
    left === right || (left.count == right.count && left.contents == right.contents)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
