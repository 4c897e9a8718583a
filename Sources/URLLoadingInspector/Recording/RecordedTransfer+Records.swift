#if Inspector
  import Foundation
  import HTTPTransport
  import LoadingModel
  import ProtocolRules
  import URLLoadingSystem

  // Conversions from the engine's records to the parts of a recorded transfer.

  extension RecordedTransfer.Response {
    init(_ response: LoadResponse, _ record: TransactionRecord, _ redactor: Redactor) {
      if case .http(let head) = response.kind {
        (status, reason, version) = (head.status, head.reason, head.version)
        fields = redactor.fields(head.headers)
      }
      mediaType = response.mediaType
      headBytes = record.responseHeaderBytes
      bodyBytes = record.responseBodyBytes
      decodedBytes = record.responseBodyBytesAfterDecoding
    }
  }

  extension LoadResponse {
    /// The body's media type with its parameters: from `Content-Type`, or else the sniffed one; empty if it isn't known.
    var mediaType: String {
      switch kind {
      case .http(let head): head.headers.first("Content-Type") ?? sniffedType ?? ""
      case .plain(let mimeType, _): mimeType ?? ""
      case .native, .absent: ""
      }
    }
  }

  extension RecordedTransfer.Connection {
    init(_ facts: ConnectionFacts) {
      localPort = facts.localPort
      address = facts.remoteAddress
      port = facts.remotePort
      tls = facts.tlsVersion.map { version in
        switch version {
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "TLS (\(version))"
        }
      }
      cipherSuite = facts.tlsCipherSuite.map(Int.init)
      isTLSResumed = facts.isTLSResumed
      isTrustOverridden = facts.isTrustOverridden
      encryptedHello = facts.encryptedHello.map { "\($0)" }
      earlyData = facts.quic.flatMap { $0.earlyData == .unused ? nil : "\($0.earlyData)" }
      keyExchangeGroup = facts.keyExchangeGroup.map(Int.init)
      certificates = facts.certificates?.map(RecordedTransfer.Certificate.init) ?? []
    }
  }

  extension RecordedTransfer.Certificate {
    /// - Parameter der: The certificate as the server presented it, in DER. If it can't be parsed, only the fingerprint is set.
    init(_ der: Data) {
      self.init()
      name = CertificateParts.text(.commonName, of: der) ?? CertificateParts.text(.organization, of: der) ?? ""
      issuer = DisplayedCertificateNames.issuer(of: der) ?? ""
      names = DisplayedCertificateNames.alternatives(in: der)
      (validFrom, validUntil) = (CertificateParts.validity(of: der)?.lowerBound, CertificateParts.validity(of: der)?.upperBound)
      sha256 = CertificateParts.sha256(der).map { String(format: "%02x", $0) }.joined()
    }
  }

  extension RecordedTransfer.Failure {
    init(_ error: LoadError, _ redactor: Redactor) {
      self.init(
        name: error.typeName, code: error.foreign == nil ? error.kind.rawValue : 0, phase: error.phase.rawValue,
        message: error.loggedMessage.map { redactor.text($0) } ?? "")
    }
  }

  extension TransactionRecord.FetchType {
    var source: String {
      switch self {
      case .networkLoad: "network"
      case .localCache: "cache"
      case .unknown, .serverPush: "other"
      }
    }
  }

  extension CacheDecision {
    var name: String {
      switch self {
      case .use: "use"
      case .useAndRevalidate: "useAndRevalidate"
      case .validate: "validate"
      case .fetch: "fetch"
      case .gatewayTimeout: "gatewayTimeout"
      case .unavailable: "unavailable"
      }
    }
  }
#endif
