import LoadingModel

/// How a stored response is found: the effective request URL (RFC 9111, 2), written in one way.
///
/// Scheme and host in lower case, no default port, no user, no fragment, a path at least "/". Percent-encoding and the order of the query
/// are for the server to interpret and stay.
package enum CacheKey {
  package static func url(_ target: Target) -> String {
    var url = target.origin.scheme
    let authority = target.ownAuthority
    url.reserveCapacity(url.utf8.count + 3 + authority.utf8.count + target.pathAndQuery.utf8.count)
    url += "://"
    url += authority
    url += target.pathAndQuery
    return url
  }

  /// The hash of `url(target)`, without making that string. It is written to disk, so it must stay the same in all processes and versions.
  package static func hash(_ target: Target) -> Int64 {
    var hash = offset
    mix(target.origin.scheme, into: &hash)
    mix("://", into: &hash)
    mix(target.ownAuthority, into: &hash)
    mix(target.pathAndQuery, into: &hash)
    return Int64(bitPattern: hash)
  }

  package static func hash(_ url: String) -> Int64 {
    var hash = offset
    mix(url, into: &hash)
    return Int64(bitPattern: hash)
  }

  // FNV-1a, 64 bits. If two URLs have the same hash, the disk is asked in vain; the URLs themselves are compared there.
  private static let offset: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01b3

  private static func mix(_ text: String, into hash: inout UInt64) {
    // Over contiguous memory where possible, because each load hashes its URL.
    let mixed = text.utf8.withContiguousStorageIfAvailable { mix($0, into: hash) }
    hash = mixed ?? Array(text.utf8).withUnsafeBufferPointer { mix($0, into: hash) }
  }

  private static func mix(_ bytes: UnsafeBufferPointer<UInt8>, into start: UInt64) -> UInt64 {
    var hash = start
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* prime }
    return hash
  }
}
