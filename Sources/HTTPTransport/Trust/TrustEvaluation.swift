import CLoadingBoringSSL
import Foundation
import LoadingModel
import ProtocolRules

/// The requirements that a certificate chain must meet: usage, host name, and revocation.
package struct TrustRequirement: Sendable, Hashable {
  package enum Usage: Sendable, Hashable {
    case any, server, client
  }

  package var usage: Usage
  /// The host name or address literal that the first certificate must be for; nil if any will do.
  package var host: String?
  package var revocation = Revocation.unasked

  package init(usage: Usage, host: String?) {
    self.usage = usage
    self.host = host
  }
}

/// What the evaluation of a chain found.
package struct TrustVerdict: Sendable, Hashable {
  package enum Result: Sendable, Hashable {
    case trusted
    /// The chain is trusted, but the requirement demands proof that none of it is revoked, which is missing.
    case revocationUnknown
    case expired
    case notYetValid
    case wrongHost
    case selfSigned
    case unknownAuthority
    /// The server's own certificate has an issuer that is neither among those sent nor in the store.
    case missingIssuer
    case weakKey
    case weakSignature
    case unpinned
    case stapleMissing
    /// The certificate is valid for more days than public authorities may issue one for.
    case livesTooLong(days: Int)
    /// Certificate Transparency is required, and the certificate isn't known to have been logged.
    case unpublished(TransparencyShortfall)
    case revoked
    /// A certificate can't be parsed, or there is none.
    case unreadable
    /// Another reason, in BoringSSL's words.
    case untrusted(String)
  }

  package let result: Result
  /// The index of the certificate that the result is about; 0 is the server's own.
  package let depth: Int
  /// The chain that was verified, in DER: the server's certificate first, the anchor last. Empty unless it is trusted: a chain that was
  /// built in part may hold certificates that have nothing to do with the server.
  package let chain: [Data]
  /// Whether lists prove of every certificate below the anchor that it hasn't been revoked, where the requirement demands it.
  let isUnrevoked: Bool

  package init(_ result: Result, depth: Int = 0) {
    self.result = result
    self.depth = depth
    chain = []
    isUnrevoked = false
  }

  /// A verdict of a trusted chain.
  init(trustedBy chain: [Data], isUnrevoked: Bool) {
    result = .trusted
    depth = 0
    self.chain = chain
    self.isUnrevoked = isUnrevoked
  }

  package var isTrusted: Bool { result == .trusted }

  /// The error of a connection that fails because of this verdict; nil if the chain is trusted.
  package func error(host: String) -> LoadError? {
    let subject = depth == 0 ? "the certificate of “\(host)”" : "an authority's certificate in the chain of “\(host)”"
    func failure(_ kind: LoadError.Kind, _ message: String) -> LoadError { LoadError(kind, .secure, message) }
    switch result {
    case .trusted: return nil
    case .revocationUnknown:
      return failure(
        .serverCertificateUntrusted,
        "the chain of “\(host)” may have been revoked: revocation isn't looked up, so don't require a positive response")
    case .expired: return failure(.serverCertificateHasBadDate, "\(subject) has expired")
    case .notYetValid: return failure(.serverCertificateNotYetValid, "\(subject) isn't valid yet; check this machine's clock")
    case .wrongHost: return failure(.serverCertificateUntrusted, "the server's certificate is not for “\(host)”; check the address")
    case .selfSigned: return failure(.serverCertificateUntrusted, "\(subject) is self-signed")
    case .unknownAuthority:
      return failure(
        .serverCertificateHasUnknownRoot,
        "\(subject) comes from an authority that isn't in the trust store; if you trust it, install its certificate there")
    case .missingIssuer:
      return failure(
        .serverCertificateHasUnknownRoot,
        "the server left out an intermediate certificate, or its authority isn't in the trust store: the issuer of \(subject) is neither "
          + "among what it sent nor in the store; have it send its whole chain, or install the authority's certificate if you trust it")
    case .weakKey:
      return failure(.serverCertificateUntrusted, "\(subject) has a key that is too short; RSA needs 2048 bits, ECDSA 256")
    case .weakSignature:
      return failure(.serverCertificateUntrusted, "\(subject) is signed with a broken digest; it has to be SHA-256 or stronger")
    case .unpinned:
      return failure(.serverCertificateUntrusted, "no certificate of “\(host)” matches the pinned keys; update the pins if the key is new")
    case .livesTooLong(let days):
      return failure(
        .serverCertificateUntrusted,
        "the certificate of “\(host)” is valid for longer than the \(days) days that public authorities may issue one for "
          + "(App Transport Security); have the server get a new one")
    case .unpublished(let shortfall): return failure(.serverCertificateUntrusted, shortfall.message(host: host))
    case .stapleMissing:
      return failure(.serverCertificateUntrusted, "\(subject) demands proof that it isn't revoked, and the server sent none")
    case .revoked: return failure(.serverCertificateUntrusted, "\(subject) has been revoked")
    case .unreadable: return failure(.serverCertificateUntrusted, "\(subject) isn't trusted (it can't be read)")
    case .untrusted(let reason): return failure(.serverCertificateUntrusted, "\(subject) isn't trusted (\(reason))")
    }
  }
}

/// Evaluates chains against a trust store. Any thread.
package enum TrustEvaluation {
  /// Evaluates `chain` (DER, leaf first) against `store`.
  ///
  /// - Parameters:
  ///   - time: The moment at which it must be valid; nil for now.
  ///   - endsAtAnyAnchor: Whether a certificate in the store that isn't self-signed ends a chain.
  package static func verdict(
    on chain: [Data], for requirement: TrustRequirement, store: TrustStore, time: Date? = nil, endsAtAnyAnchor: Bool = false
  ) -> TrustVerdict {
    withPieces(of: chain) { pieces in
      run(requirement, store: store, time: time, endsAtAnyAnchor: endsAtAnyAnchor) { evaluation, context in
        uls_tls_evaluate(evaluation, pieces, pieces.count, PieceList.receive, context)
      }
    }.meeting(requirement)
  }

  /// A chain for display, where the evaluation has failed: the first certificate of `chain` (DER), then authorities, sent or in `store`, each of
  /// which has signed the one before, up to a root. Empty if the first certificate can't be read.
  ///
  /// Only signatures are verified, at most 48; dates, names, usages and constraints aren't checked.
  package static func signedPath(of chain: [Data], store: TrustStore) -> [Data] {
    let list = PieceList()
    withPieces(of: chain) { uls_tls_signed_path(store.pointer, $0, $0.count, PieceList.receive, list.context) }
    return list.pieces
  }

  private static func withPieces<Result>(of chain: [Data], _ body: ([uls_tls_bytes]) -> Result) -> Result {
    let flat = chain.reduce(into: Data()) { $0 += $1 }
    return flat.withCTLSBytes { bytes in
      var offset = 0
      let pieces = chain.map { certificate in
        defer { offset += certificate.count }
        return uls_tls_bytes(data: bytes.data.map { $0 + offset }, length: certificate.count)
      }
      return body(pieces)
    }
  }

  /// Evaluates what the peer of a connection presented. Only on the connection's thread.
  static func verdict(onPeerOf ssl: UnsafeMutableRawPointer, for requirement: TrustRequirement, store: TrustStore) -> TrustVerdict {
    run(requirement, store: store, time: nil, endsAtAnyAnchor: false) { evaluation, context in
      uls_tls_evaluate_peer(ssl, evaluation, PieceList.receive, context)
    }
  }

  private static func run(
    _ requirement: TrustRequirement, store: TrustStore, time: Date?, endsAtAnyAnchor: Bool,
    _ evaluate: (UnsafePointer<uls_tls_evaluation>, UnsafeMutableRawPointer) -> uls_tls_verdict
  ) -> TrustVerdict {
    let host = requirement.host.map(HostName.init)
    return withOptionalCString(host?.name) { name in
      withOptionalCString(host?.address) { address in
        var evaluation = uls_tls_evaluation(
          store: store.pointer, host: name, address: address, usage: requirement.usage.number,
          time: time?.wholeSeconds ?? 0, has_time: time == nil ? 0 : 1, ends_at_any_anchor: endsAtAnyAnchor ? 1 : 0,
          lists: requirement.revocation.looksIntoLists ? UnsafeRawPointer(store.lists?.pointer) : nil,
          proves_unrevoked: requirement.revocation.isRequired ? 1 : 0)
        let list = PieceList()
        let verdict = evaluate(&evaluation, list.context)
        let result = result(of: verdict)
        return result == .trusted
          ? TrustVerdict(trustedBy: list.pieces, isUnrevoked: verdict.is_unrevoked != 0) : TrustVerdict(result, depth: Int(verdict.depth))
      }
    }
  }

  private static func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }

  /// Maps BoringSSL's X509_V_ERR_… numbers, and those of CLoadingBoringSSL.
  private static func result(of verdict: uls_tls_verdict) -> TrustVerdict.Result {
    let isSelfIssued = verdict.leaf_is_self_issued != 0
    switch verdict.result {
    case 0: return .trusted
    case 10: return .expired
    case 9: return .notYetValid
    case 62, 64: return .wrongHost
    case 23: return .revoked
    // A self-signed certificate that isn't a certificate authority's is reported as one with a missing issuer (20, 21).
    case 18,
      20 where isSelfIssued, 21 where isSelfIssued:
      return .selfSigned
    case 20 where verdict.depth == 0: return .missingIssuer
    case 2, 19, 20, 21: return .unknownAuthority
    case Int(ULS_TLS_WEAK_KEY): return .weakKey
    case Int(ULS_TLS_WEAK_SIGNATURE): return .weakSignature
    case Int(ULS_TLS_NOT_READABLE): return .unreadable
    default: return .untrusted(uls_tls_verdict_text(verdict.result).map { String(cString: $0) } ?? "reason \(verdict.result)")
    }
  }
}

extension TrustRequirement.Usage {
  fileprivate var number: uls_tls_usage {
    switch self {
    case .any: ULS_TLS_USAGE_ANY
    case .server: ULS_TLS_USAGE_SERVER
    case .client: ULS_TLS_USAGE_CLIENT
    }
  }
}

extension Date {
  /// Seconds since 1970, limited to the years 0 to 9999, which certificates can express. The app may pass any date, even NaN.
  fileprivate var wholeSeconds: Int64 {
    let seconds = timeIntervalSince1970
    return seconds.isNaN ? 0 : Int64(min(max(seconds, -62_167_219_200), 253_402_300_799))
  }
}
