import ProtocolRules

extension URLSessionConfiguration {
  /// When the client hello of TLS is encrypted, which names the server (ECH, RFC 9849). An addition to Apple's API.
  public enum EncryptedClientHello: Sendable, Hashable, CaseIterable {
    /// To servers whose keys the DNS has said by the time that the handshake begins. What is sent to others looks as if it was encrypted (GREASE).
    case automatic
    /// As `automatic`, and no connection is made without: loads of https and wss wait for the DNS, and end with
    /// `URLError.secureConnectionFailed` where it has no keys.
    case required
    /// Never.
    case off
  }

  /// When the client hello of TLS is encrypted, which names the server (ECH, RFC 9849). An addition to Apple's API. Default: `.automatic`.
  ///
  ///     configuration.nameResolution = .https(URL(string: "https://dns.example/dns-query")!, bootstrap: ["192.0.2.53"])
  ///     configuration.encryptedClientHello = .required
  ///
  /// The keys are in the HTTPS records of the DNS, which the system's resolver and ``nameResolution``'s `.https` are asked for, over TCP and QUIC,
  /// where no proxy is used. On the way to the server the name is hidden where the question to the DNS is, too: by DNS over HTTPS. Where all of an
  /// origin's records have keys, nothing is sent to other places (RFC 9848).
  ///
  /// A server that doesn't decrypt what it gets has to prove the name that is shown in the clear. Then there is one more connection, with the keys
  /// that it has sent or, where it has none, without encryption; if that doesn't work either, loads end with `URLError.secureConnectionFailed`.
  /// Delegates are asked about the servers of origins alone. The metrics' `encryptedClientHello` says what became of it.
  public var encryptedClientHello: EncryptedClientHello {
    get { values.withLock { $0.encryptedClientHello } }
    set { values.withLock { $0.encryptedClientHello = newValue } }
  }
}

extension URLSessionConfiguration.EncryptedClientHello {
  /// The engine's word for it.
  var mode: EncryptedHelloPlan.Mode {
    switch self {
    case .automatic: .automatic
    case .required: .required
    case .off: .off
    }
  }
}
