#if HTTPTypes
  import Foundation
  public import HTTPTypes
  public import URLLoadingSystem

  extension URLRequest {
    /// Converts a request with its method, URL and header fields; nil if scheme, authority and path make no URL.
    ///
    /// Fields of one name are joined by ", ", those of `Cookie` by "; ". Field values that aren't UTF-8 are read as ISO Latin-1. An extended CONNECT
    /// for a WebSocket becomes a GET of a `ws` or `wss` URL.
    public init?(httpRequest: HTTPRequest) {
      var request = httpRequest
      if request.method == .connect, request.extendedConnectProtocol == "websocket" {
        request.method = .get
        request.extendedConnectProtocol = nil
        switch request.scheme?.lowercased() {
        case "https": request.scheme = "wss"
        case "http": request.scheme = "ws"
        default: break
        }
      }
      guard let url = request.url else { return nil }
      self.init(url: url)
      httpMethod = request.method.rawValue
      var values: [HTTPField.Name: String] = [:]
      for field in request.headerFields {
        let text = field.text
        values[field.name] = values[field.name].map { $0 + (field.name == .cookie ? "; " : ", ") + text } ?? text
      }
      for (name, value) in values { setValue(value, forHTTPHeaderField: name.rawName) }
    }

    /// The request's method, URL and header fields as an `HTTPRequest`; nil without a URL that has a scheme, and for a method that isn't a token.
    ///
    /// Header fields whose names aren't tokens are left out. A GET of a `ws` or `wss` URL becomes an extended CONNECT for a WebSocket. Other
    /// properties of the request, such as body, cache policy and timeout, aren't included.
    public var httpRequest: HTTPRequest? {
      guard let method = HTTPRequest.Method(httpMethod ?? "GET"), let url, url.scheme != nil,
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.string != nil
      else { return nil }
      var request = HTTPRequest(method: method, url: url)
      for (name, value) in (allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let name = HTTPField.Name(name) else { continue }
        request.headerFields.append(HTTPField(name: name, value: value))
      }
      guard method == .get, let scheme = request.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else { return request }
      request.method = .connect
      request.scheme = scheme == "wss" ? "https" : "http"
      request.extendedConnectProtocol = "websocket"
      return request
    }
  }

  extension HTTPField {
    /// The field's value as text, decoded as the engine does: as UTF-8, or if it isn't valid as ISO Latin-1.
    fileprivate var text: String {
      withUnsafeBytesOfValue { bytes in
        String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      }
    }
  }
#endif
