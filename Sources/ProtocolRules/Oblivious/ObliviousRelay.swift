import Foundation
import LoadingModel

/// A relay of Oblivious HTTP (RFC 9458): it sees who asks, the gateway behind it what is asked.
package struct ObliviousRelay: Sendable {
  /// The relay's resource for the gateway.
  package let url: URL
  /// What is sent to the relay beside the message.
  package let fields: HeaderFields
  package let key: ObliviousKey
  /// Whether the relay is reached over HTTP/3 first.
  package let assumesHTTP3: Bool
  let origin: Origin

  /// - Throws: `badURL` for a relay that can't be reached by https, or a gateway's key that can't be used.
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

  /// The request that carries `message` to the relay.
  package func request(carrying message: Data, for request: LoadRequest) -> LoadRequest {
    var outer = LoadRequest(url: url)
    outer.mutate { outer in
      outer.method = "POST"
      outer.headers = fields
      outer.headers.set("Content-Type", ObliviousRelay.requestType)
      outer.body = .data(message)
      outer.assumesHTTP3Capable = assumesHTTP3
      outer.timeoutInterval = request.fields.timeoutInterval
      outer.networkServiceType = request.networkServiceType
      outer.allowsCellularAccess = request.fields.allowsCellularAccess
      outer.shouldHandleCookies = false
    }
    return outer
  }

  /// The error of an answer that isn't a gateway's.
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
  /// The relay that a load of `origin` goes through; nil where it takes another way.
  ///
  /// - Throws: Why there is none though one was asked for.
  package func obliviousRelay(for origin: Origin) throws(LoadError) -> ObliviousRelay? {
    guard let family = Family(scheme: origin.scheme), !exceptions.contains(origin),
      let entry = entries.first(where: { $0.serves(origin, family) }), let relay = entry.relay
    else { return nil }
    return try relay.get()
  }

  package var hasObliviousRelays: Bool { entries.contains { $0.relay != nil } }
}
