import Foundation
import LoadingModel

/// A relay of Oblivious HTTP (RFC 9458): it knows who sends a request, but only the gateway behind it can decrypt the request.
package struct ObliviousRelay: Sendable {
  /// The URL at the relay for requests to one gateway.
  package let url: URL
  /// Header fields that requests to the relay carry, besides `Content-Type`.
  package let fields: HeaderFields
  package let key: ObliviousKey
  /// Whether HTTP/3 is tried first for connections to the relay.
  package let assumesHTTP3: Bool
  let origin: Origin

  /// - Throws: `badURL` if host, port and path make no https URL, or the gateway's key can't be used.
  package init(
    host: String, port: Int, path: String, fields: HeaderFields, gatewayKeys: Data, assumesHTTP3: Bool
  ) throws(LoadError) {
    let host = host.contains(":") ? "[\(host)]" : host
    guard let url = URL(string: "https://\(host):\(port)\(path.hasPrefix("/") ? "" : "/")\(path)"), let origin = Target(url)?.origin else {
      throw LoadError(
        .badURL, .admission, "the oblivious relay in proxyConfigurations has no usable host, port and relayResourcePath; correct it")
    }
    guard let key = ObliviousKey(gatewayKeys) else {
      throw LoadError(
        .badURL, .admission,
        "gatewayKeyConfig of the oblivious relay in proxyConfigurations can't be used: it must be a key configuration of RFC 9458, 3 with "
          + "X25519 or P-256, HKDF-SHA256 or -SHA384, and AES-GCM or ChaCha20-Poly1305")
    }
    (self.url, self.origin, self.fields, self.key, self.assumesHTTP3) = (url, origin, fields, key, assumesHTTP3)
  }

  package static let requestType = "message/ohttp-req"
  package static let responseType = "message/ohttp-res"

  /// The POST that carries the encrypted `message` to the relay; timeout, service type and the networks that it may use are those of `request`.
  package func request(carrying message: Data, for request: LoadRequest) -> LoadRequest {
    var outer = LoadRequest(url: url)
    outer.mutate { outer in
      outer.method = "POST"
      outer.headers = fields
      outer.headers.set("Content-Type", ObliviousRelay.requestType)
      outer.body = .data(message)
      outer.assumesHTTP3Capable = assumesHTTP3
      outer.timeoutInterval = request.timeoutInterval
      outer.networkServiceType = request.networkServiceType
      outer.allowsCellularAccess = request.fields.allowsCellularAccess
      let own = request.fields.ownAccess
      if own.contains(.expensive) { outer.allowsExpensiveNetworkAccess = request.fields.allowsExpensiveNetworkAccess }
      if own.contains(.constrained) { outer.allowsConstrainedNetworkAccess = request.fields.allowsConstrainedNetworkAccess }
      outer.shouldHandleCookies = false
    }
    return outer
  }

  /// The error for a response of the relay that isn't an encrypted response of the gateway.
  package func refusal(status: Int?, type: String?) -> LoadError {
    let status = status.map(String.init) ?? "none"
    let hint =
      status == "400" || status == "401" || status == "422" ? "; the gateway's key may have changed: get its configuration anew" : ""
    return LoadError(
      .badServerResponse, .head,
      "the oblivious relay \(url.host() ?? "") answered with status \(status) and type \(type ?? "none") instead of \(ObliviousRelay.responseType)\(hint)"
    )
  }
}

extension ProxySettings {
  /// The relay that a load of `origin` goes through; nil if none is set for it.
  ///
  /// - Throws: The error of a relay that is set for `origin` but can't be used.
  package func obliviousRelay(for origin: Origin) throws(LoadError) -> ObliviousRelay? {
    guard let family = Family(scheme: origin.scheme), !exceptions.contains(origin),
      let entry = entries.first(where: { $0.serves(origin, family) }), let relay = entry.relay
    else { return nil }
    return try relay.get()
  }

  package var hasObliviousRelays: Bool { entries.contains { $0.relay != nil } }
}
