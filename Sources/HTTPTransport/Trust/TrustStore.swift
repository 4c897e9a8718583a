import CLoadingBoringSSL
import Foundation
import LoadingModel

/// A set of trust anchors (an X509_STORE of BoringSSL), which any thread may read.
package final class TrustStore: @unchecked Sendable {
  // @unchecked: the store behind the immutable pointer is filled before it is shared; BoringSSL locks its look-ups.
  let pointer: UnsafeMutableRawPointer
  /// Whether the system's own bundle is in it.
  private let holdsSystem: Bool
  /// The anchors that an app has added, in DER.
  private let added: Set<Data>
  /// The revocation lists with which chains are checked; nil for none.
  package let lists: RevocationLists?

  private init(_ pointer: UnsafeMutableRawPointer, holdsSystem: Bool, added: Set<Data>, lists: RevocationLists? = nil) {
    self.pointer = pointer
    self.holdsSystem = holdsSystem
    self.added = added
    self.lists = lists
  }

  deinit { uls_tls_store_free(pointer) }

  /// The key of the cache of stores: the system's bundle is parsed once per process, not once per session.
  private struct Key: Hashable {
    let source: TrustStoreSource
    let roots: [Data]
  }

  private static let known = Mutex<[Key: TrustStore]>([:])
  /// The number of cached stores at which those of other sources are removed.
  private static let knownLimit = 64

  /// The anchors of `source` together with `roots` (PEM), cached.
  ///
  /// Throws if `roots` contain something other than certificates, or `source` names a file that can't be read. A system without a bundle isn't an
  /// error: then only `roots` are trusted.
  package static func store(_ source: TrustStoreSource, adding roots: [Data]) throws(LoadError) -> TrustStore {
    let key = Key(source: source, roots: roots)
    if let store = known.withLock({ $0[key] }) { return store }
    let store = try roots.isEmpty ? load(source) : extended(store(source, adding: []), by: roots)
    known.withLock { known in
      // Sources also come with background sessions from other apps, so that there may be many.
      if known.count >= knownLimit {
        known = known.filter { $0.key.roots.isEmpty && ($0.key.source == .system || $0.key.source == source) }
      }
      known[key] = store
    }
    return store
  }

  /// Whether `store(_:adding:)` would find the store in its cache.
  static func isKnown(_ source: TrustStoreSource, adding roots: [Data]) -> Bool {
    known.withLock { $0[Key(source: source, roots: roots)] != nil }
  }

  /// The system's anchors alone, or those that the environment names in their place (`SSL_CERT_FILE`, `SSL_CERT_DIR`).
  package static func system() throws(LoadError) -> TrustStore {
    try store(.ofProcess, adding: [])
  }

  /// Whether an anchor of this store (DER) is one that came with the system: neither an app nor the machine's administrator has added it.
  func isPublic(_ anchor: Data) -> Bool { holdsSystem && !added.contains(anchor) && !LocalAnchors.contain(anchor) }

  /// A store of `anchors`, together with those of `base` if that isn't nil.
  ///
  /// - Parameter arePublic: Whether the anchors count as the system's own, for tests.
  package static func store(anchors: [Data], beside base: TrustStore?, arePublic: Bool = false) throws(LoadError) -> TrustStore {
    let store = try empty(
      holdsSystem: arePublic || base?.holdsSystem == true, added: arePublic ? [] : (base?.added ?? []).union(anchors))
    if let base { uls_tls_store_add_all(store.pointer, base.pointer) }
    for anchor in anchors { anchor.withCTLSBytes { _ = uls_tls_store_add(store.pointer, $0) } }
    return store
  }

  /// A store of the same anchors, with these revocation lists.
  package func looking(into lists: RevocationLists?) -> TrustStore {
    guard lists !== self.lists else { return self }
    uls_tls_store_retain(pointer)
    return TrustStore(pointer, holdsSystem: holdsSystem, added: added, lists: lists)
  }

  private static func empty(holdsSystem: Bool, added: Set<Data> = []) throws(LoadError) -> TrustStore {
    guard let pointer = uls_tls_store_new() else {
      throw LoadError(.secureConnectionFailed, .secure, "there is no memory for the trust store")
    }
    return TrustStore(pointer, holdsSystem: holdsSystem, added: added)
  }

  private static func load(_ source: TrustStoreSource) throws(LoadError) -> TrustStore {
    let store = try empty(holdsSystem: source == .system)
    if let file = source.file {
      guard uls_tls_store_load(store.pointer, file) != 0 else {
        throw LoadError(
          .secureConnectionFailed, .secure, "the trust store “\(file)” can't be read as PEM; correct SSL_CERT_FILE or unset it")
      }
    }
    if !source.folders.isEmpty {
      // Files without certificates are skipped, such as a README.
      let loaded = source.filesOfFolders.count { uls_tls_store_load(store.pointer, $0) != 0 }
      guard loaded > 0 || source.file != nil else {
        throw LoadError(
          .secureConnectionFailed, .secure,
          "no certificate in PEM can be read in “\(source.folders.joined(separator: ":"))”; correct SSL_CERT_DIR or unset it")
      }
    }
    guard source == .system else { return store }
    for candidate in TrustStoreSource.systemFiles where uls_tls_store_load(store.pointer, candidate) != 0 { break }
    return store
  }

  private static func extended(_ base: TrustStore, by roots: [Data]) throws(LoadError) -> TrustStore {
    var anchors: [Data] = []
    for root in roots {
      guard let certificates = PEMDocument.certificates(in: root), !certificates.isEmpty else {
        throw LoadError(.secureConnectionFailed, .secure, "an additional root isn't a certificate in PEM")
      }
      anchors += certificates
    }
    return try store(anchors: anchors, beside: base)
  }
}

extension Data {
  func withCTLSBytes<Result>(_ body: (uls_tls_bytes) -> Result) -> Result {
    withUnsafeBytes { raw in
      body(uls_tls_bytes(data: raw.bindMemory(to: UInt8.self).baseAddress, length: raw.count))
    }
  }
}
