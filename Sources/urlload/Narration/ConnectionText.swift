import Foundation
import HTTPTransport
import LoadingModel
import URLLoadingSystem

/// Describes the steps of making a connection, for `-v`. Pure.
enum ConnectionText {
  /// The name of the step that begins with the event, by which its end is found; nil if none begins.
  static func step(_ event: ConnectionEvent, _ isQUIC: Bool) -> String? {
    switch event {
    case .lookup(let host): "lookup \(host)"
    case .connecting(let place, let port): "\(isQUIC) connect \(place) \(port)"
    case .tunnel(let proxy, _): "tunnel \(proxy)"
    case .handshake: "\(isQUIC) handshake"
    case .addresses, .noAddress, .connected, .failed, .tunnelOpen, .handshakeMessage, .secured, .unsecured, .abandoned: nil
    }
  }

  /// The name of the step that ends with the event; nil if none ends.
  static func end(_ event: ConnectionEvent, _ isQUIC: Bool) -> String? {
    switch event {
    case .addresses(let host, _), .noAddress(let host): "lookup \(host)"
    case .connected(let place, let port), .failed(let place, let port, _): "\(isQUIC) connect \(place) \(port)"
    case .tunnelOpen(let proxy): "tunnel \(proxy)"
    case .secured, .unsecured, .abandoned: "\(isQUIC) handshake"
    case .lookup, .connecting, .tunnel, .handshake, .handshakeMessage: nil
    }
  }

  /// The lines about an event.
  /// - Parameter seconds: Duration of the step that ends with the event; nil if unknown.
  static func lines(_ event: ConnectionEvent, _ isQUIC: Bool, _ seconds: Double?) -> [String] {
    let time = seconds.map { " (\(Quantity.duration($0)))" } ?? ""
    let quic = isQUIC ? " over QUIC" : ""
    switch event {
    case .lookup(let host): return ["looking up \(host)\(quic)"]
    case .addresses(let host, let addresses): return ["\(host) is at \(addresses.joined(separator: ", "))\(time)"]
    case .noAddress(let host): return ["\(host) has no address\(time)"]
    case .connecting(let place, let port): return ["connecting to \(place) port \(port)\(quic)"]
    case .connected(let place, let port): return ["connected to \(place) port \(port)\(quic)\(time)"]
    case .failed(let place, let port, let reason): return ["no connection to \(place) port \(port)\(quic): \(reason)\(time)"]
    case .tunnel(let proxy, let place): return ["asking the proxy \(proxy) for a tunnel to \(place)"]
    case .tunnelOpen(let proxy): return ["the proxy \(proxy) has opened the tunnel\(time)"]
    case .handshake(let name): return ["TLS handshake with \(name)\(quic)"]
    case .handshakeMessage(let type, let isSent, let length):
      return ["  \(message(type)) \(isSent ? "sent" : "received"), \(length) bytes"]
    case .secured(let facts): return [secured(facts) + quic + time] + certificates(facts)
    case .unsecured(let reason, let certificates): return ["TLS failed: \(reason)\(time)"] + certificates.flatMap(certificate)
    case .abandoned: return ["the TLS handshake was given up\(time)"]
    }
  }

  /// Names of TLS handshake messages (RFC 8446, 4; RFC 5246, 7.4).
  private static func message(_ type: UInt8) -> String {
    switch type {
    case 0: "hello request"
    case 1: "client hello"
    case 2: "server hello"
    case 4: "session ticket"
    case 8: "encrypted extensions"
    case 11: "certificate"
    case 12: "server key exchange"
    case 13: "certificate request"
    case 14: "server hello done"
    case 15: "certificate verify"
    case 16: "client key exchange"
    case 20: "finished"
    case 22: "certificate status"
    case 25: "compressed certificate"
    default: "message \(type)"
    }
  }

  private static func secured(_ facts: SecuredConnection) -> String {
    let version = facts.version.flatMap { tls_protocol_version_t(rawValue: $0) }.map(TransactionTiming.name) ?? "TLS"
    let suite = facts.cipherSuite.flatMap { tls_ciphersuite_t(rawValue: $0) }.map { "\($0)" }
    let parts = [
      version, suite, facts.group.map { "\(URLSessionTaskTransactionMetrics.KeyExchangeGroup(rawValue: $0))" },
      facts.applicationProtocol.map { "ALPN \($0)" },
      facts.isResumed ? "session resumed" : nil, hello(facts.encryptedHello),
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// The result of Encrypted Client Hello (RFC 9849); nil if it wasn't used.
  private static func hello(_ use: EncryptedHelloUse) -> String? {
    switch use {
    case .unused: nil
    case .greased: "ECH: GREASE"
    case .accepted: "ECH accepted"
    case .acceptedOnRetry: "ECH accepted with the keys that the server has sent"
    case .refused: "ECH refused: the name was sent in the clear"
    case .rejected: "ECH rejected"
    }
  }

  private static func certificates(_ facts: SecuredConnection) -> [String] {
    // In a resumed session the server sends no certificates.
    guard !facts.isResumed else { return [] }
    let authority = facts.certificates.last.flatMap(DisplayedCertificateNames.issuer).map { ": it is issued under \($0)" } ?? ""
    let trust = facts.isTrustOverridden ? "accepted, although it isn't to be trusted (-k)" : "trusted\(authority)"
    return facts.certificates.flatMap(certificate) + ["  the server's certificate is \(trust)"]
  }

  private static func certificate(_ der: Data) -> [String] {
    let name = CertificateParts.text(.commonName, of: der) ?? CertificateParts.text(.organization, of: der) ?? "without a name"
    let issuer = DisplayedCertificateNames.issuer(of: der).map { ", issued by \($0)" } ?? ""
    let end = CertificateParts.validity(of: der).map { ", valid until \($0.upperBound.formatted(.iso8601.year().month().day()))" } ?? ""
    let names = DisplayedCertificateNames.alternatives(in: der)
    let shown = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    return ["  certificate: \(name)\(issuer)\(end)"] + (names.isEmpty ? [] : ["    for \(shown)"])
  }
}
