import CLoadingBoringSSL
import Foundation
import ProtocolRules

/// The timestamps that show that a server's certificate is in Certificate Transparency logs (RFC 6962): those from the handshake. Timestamps in the
/// certificate itself come with the chain.
struct TransparencyEvidence {
  /// The logs whose timestamps count; nil if no list of logs is known.
  var logs: TransparencyLogs?
  /// The SignedCertificateTimestampList of the TLS extension; empty if there was none.
  var timestamps: [UInt8] = []
  /// The stapled OCSP response, which may have timestamps; empty if there was none.
  var staple: [UInt8] = []
  var now = Date()

  /// Signatures that are verified at most: a server may send very many.
  private static let signatureLimit = 64

  /// What the timestamps lack to show that the chain's certificate has been logged; nil if they suffice. `chain` is verified: DER, the server's own
  /// certificate first, the anchor last.
  func shortfall(of chain: [Data]) -> TransparencyShortfall? {
    guard let logs else { return .noLogs }
    guard let leaf = chain.first, chain.count > 1, let issuerKey = CertificateParts.pin(of: chain[1]),
      let validity = CertificateParts.validity(of: leaf)
    else { return .noTimestamps }
    let embedded = EmbeddedTimestamps(certificate: [UInt8](leaf))
    let ofCertificate = embedded.map { SignedTimestamp.list($0.list) } ?? []
    let shown = ([timestamps] + EmbeddedTimestamps.lists(inStaple: staple)).flatMap { SignedTimestamp.list($0) }
    guard !ofCertificate.isEmpty || !shown.isEmpty else { return .noTimestamps }
    var rest = TransparencyEvidence.signatureLimit
    var proofs: [TransparencyProof] = []
    func add(_ list: [SignedTimestamp], _ entry: TransparencyEntry, isEmbedded: Bool) {
      for timestamp in list {
        guard rest > 0, let log = logs[timestamp.log],
          let proof = TransparencyProof(timestamp, of: log, isEmbedded: isEmbedded, now: now), !proofs.contains(proof)
        else { continue }
        rest -= 1
        if TransparencyEvidence.isSigned(timestamp, entry, by: log.key) { proofs.append(proof) }
      }
    }
    add(shown, .certificate([UInt8](leaf)), isEmbedded: false)
    if let embedded {
      add(ofCertificate, .precertificate(issuerKeyHash: [UInt8](issuerKey), embedded.remainder), isEmbedded: true)
    }
    return TransparencyRules.shortfall(of: proofs, validity: validity)
  }

  /// Whether the log's key has signed the timestamp (RFC 6962, 2.1.4: "NIST P-256" or "RSA […] using a key of at least 2048 bits").
  private static func isSigned(_ timestamp: SignedTimestamp, _ entry: TransparencyEntry, by key: Data) -> Bool {
    guard let algorithm = timestamp.algorithm, let form = CertificateParts.publicKey(key), let bytes = timestamp.signedBytes(for: entry)
    else { return false }
    switch (algorithm, form.kind) {
    case (.ecdsa, .ellipticCurve): guard form.bits == 256 else { return false }
    case (.rsa, .rsa): guard form.bits >= 2048 else { return false }
    case (.ecdsa, _), (.rsa, _): return false
    }
    return key.withCTLSBytes { key in
      Data(bytes).withCTLSBytes { bytes in
        Data(timestamp.signature).withCTLSBytes { uls_tls_signature_is_valid(key, 256, bytes, $0) != 0 }
      }
    }
  }
}

extension TransparencyShortfall {
  /// The text for the user: the fault of the certificate of `host`, and what to do about it.
  func message(host: String) -> String {
    let demand = "App Transport Security (NSRequiresCertificateTransparency) asks “\(host)” for a certificate that has been published"
    switch self {
    case .noLogs:
      return
        "\(demand), and no logs are known that could show it; set certificateTransparencyLogs of the session's configuration to a list of "
        + "logs, or URL_LOADING_SYSTEM_CT_LOGS to the path of one"
    case .noTimestamps:
      return "\(demand), and neither its certificate nor its server has a timestamp of any log; have the server get a new one"
    case .tooFew(let count, let needed):
      return
        "\(demand), and \(count) of \(needed) logs that are needed have shown it; have the server get a new one, or use a newer list of logs"
    case .noneCurrent: return "\(demand), and only logs that have been retired have shown it; have the server get a new one"
    case .onlyTiled: return "\(demand), and no log that serves the API of RFC 6962 has shown it; have the server get a new one"
    }
  }
}
