import ProtocolRules

extension URLSessionConfiguration {
  /// Whether the ClientHello of TLS, which names the server, is encrypted (ECH, RFC 9849). An addition to Apple's API.
  public enum EncryptedClientHello: Sendable, Hashable, CaseIterable {
    /// Encrypts it for servers whose keys the DNS has returned by the time the handshake begins. For other servers it only looks encrypted (GREASE).
    case automatic
    /// As `automatic`, but no connection is made without encryption: https and wss loads wait for the DNS, and end with
    /// `URLError.secureConnectionFailed` if it has no keys.
    case required
    /// Never encrypts it, nor makes it look encrypted.
    case off
  }

  /// Whether the ClientHello of TLS, which names the server, is encrypted (ECH, RFC 9849). An addition to Apple's API. Default: `.automatic`.
  ///
  ///     configuration.nameResolution = .https(URL(string: "https://dns.example/dns-query")!, bootstrap: ["192.0.2.53"])
  ///     configuration.encryptedClientHello = .required
  ///
  /// It is used over TCP and QUIC if no proxy is. The servers' keys are in HTTPS records of the DNS, for which the system's resolver or the server of
  /// ``nameResolution``'s `.https` is asked. The name is only hidden from the network if the DNS query is hidden as well, as by DNS over HTTPS. If
  /// all of an origin's records have keys, no other places are connected to (RFC 9848).
  ///
  /// A server that can't decrypt the ClientHello has to prove the public name that is sent unencrypted. Then a second connection is made, with new
  /// keys that the server has sent, or without encryption if it has none; if that fails too, loads end with `URLError.secureConnectionFailed`.
  /// Delegates are only asked about the servers of origins, not about those with a public name. `encryptedClientHello` of the metrics tells the
  /// result.
  public var encryptedClientHello: EncryptedClientHello {
    get { values.withLock { $0.encryptedClientHello } }
    set { values.change { $0.encryptedClientHello = newValue } }
  }
}

extension URLSessionConfiguration.EncryptedClientHello {
  /// The setting as the engine's type.
  var mode: EncryptedHelloPlan.Mode {
    switch self {
    case .automatic: .automatic
    case .required: .required
    case .off: .off
    }
  }
}
