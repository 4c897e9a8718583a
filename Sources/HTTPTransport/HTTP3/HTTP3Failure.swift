#if HTTP3
  import CLoadingQUIC
  import LoadingModel

  /// Maps the end of a QUIC or HTTP/3 connection to a `LoadError`.
  struct HTTP3Failure {
    private let facts: uls_h3_failure_facts
    private let slot: TLSSessionSlot

    init(_ facts: uls_h3_failure_facts, _ slot: TLSSessionSlot) {
      self.facts = facts
      self.slot = slot
    }

    static let noAnswer = LoadError(
      .timedOut, .connect, "the server did not answer over QUIC; it may not speak HTTP/3, or UDP is blocked on the way")

    /// Whether the failure is a final result of the handshake (TLS or version), which a second handshake would end with as well.
    var isVerdict: Bool { slot.refusal != nil || facts.side == ULS_H3_TLS || facts.side == ULS_H3_VERSION }

    private var text: String { facts.text.map { String(cString: $0) } ?? "" }
    private var isPeers: Bool { facts.is_peers != 0 }

    func error(isOpening: Bool) -> LoadError {
      switch facts.side {
      case ULS_H3_TLS: secure
      case ULS_H3_TIMEOUT where isOpening: HTTP3Failure.noAnswer
      case ULS_H3_TIMEOUT: TransportErrors.silence
      case ULS_H3_RESET: lost("the server knows the connection no more")
      case ULS_H3_VERSION: LoadError(.cannotConnectToHost, .connect, "the server speaks no version of QUIC that is known here")
      case ULS_H3_APPLICATION: application
      default: transport(isOpening)
      }
    }

    private var secure: LoadError {
      if let refusal = slot.refusal { return refusal }
      let alert = facts.alert
      if !isPeers, alert == TLSAlertNumber.encryptedHelloRequired { return slot.helloRejection() }
      if isPeers, let known = slot.peerAlert(alert) { return known }
      if alert == TLSAlertNumber.noApplicationProtocol {
        return LoadError(.secureConnectionFailed, .secure, "the server doesn't speak HTTP/3 at this port")
      }
      return LoadError(
        .secureConnectionFailed, .secure, "the TLS handshake failed (alert \(alert)\(isPeers ? " of the server" : ""))")
    }

    private var application: LoadError {
      let code = HTTP3ErrorCode(rawValue: facts.code)
      if isPeers { return lost("the server closed the connection (\(code))") }
      return LoadError(.cannotParseResponse, .head, "the server broke the rules of HTTP/3 (\(code)): \(text)")
    }

    private func transport(_ isOpening: Bool) -> LoadError {
      if isPeers {
        guard isOpening else { return lost("the server closed the connection (QUIC error 0x\(String(facts.code, radix: 16)))") }
        return LoadError(.cannotConnectToHost, .connect, "the server refused the QUIC connection (0x\(String(facts.code, radix: 16)))")
      }
      if isOpening { return LoadError(.cannotConnectToHost, .connect, "the QUIC connection failed: \(text)") }
      return LoadError(.cannotParseResponse, .head, "the server broke the rules of QUIC (0x\(String(facts.code, radix: 16))): \(text)")
    }

    private func lost(_ message: String) -> LoadError { LoadError(.networkConnectionLost, .head, message) }
  }

  enum TLSAlertNumber {
    static let noApplicationProtocol: UInt8 = 120
    /// The alert ech_required (RFC 9849, 11.2).
    static let encryptedHelloRequired: UInt8 = 121
  }
#endif
