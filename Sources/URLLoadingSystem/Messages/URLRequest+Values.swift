import Foundation
import LoadingModel

extension URLRequest: Hashable {
  /// Whether both ask for the same: URL, method, header fields, body and every setting. Body streams compare by identity.
  public static func == (lhs: URLRequest, rhs: URLRequest) -> Bool {
    lhs.load.isIdentical(to: rhs.load) || lhs.load.fields.asksTheSame(as: rhs.load.fields)
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) { load.fields.hash(into: &hasher) }
}

extension URLRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, or "url: nil".
  public var description: String { url?.description ?? "url: nil" }

  /// The same as `description`: header values and bodies don't belong in logs.
  public var debugDescription: String { description }

  /// The request's properties for debuggers and `dump`.
  public var customMirror: Mirror {
    let children: [(label: String?, value: Any)] = [
      ("url", url as Any),
      ("cachePolicy", cachePolicy.rawValue),
      ("timeoutInterval", timeoutInterval),
      ("mainDocumentURL", mainDocumentURL as Any),
      ("networkServiceType", networkServiceType),
      ("allowsCellularAccess", allowsCellularAccess),
      ("httpMethod", httpMethod as Any),
      ("allHTTPHeaderFields", allHTTPHeaderFields as Any),
      ("httpBody", httpBody as Any),
      ("httpBodyStream", httpBodyStream as Any),
      ("httpShouldHandleCookies", httpShouldHandleCookies),
      ("httpShouldUsePipelining", httpShouldUsePipelining),
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

// `_ObjectiveCBridgeable` is named although `ReferenceConvertible` refines it in spirit: off Apple's platforms the compiler accepts
// `request as NSURLRequest`, and the runtime casts through `Any`, only with this conformance.
extension URLRequest: ReferenceConvertible, _ObjectiveCBridgeable {
  /// The reference form: what `as NSURLRequest` calls.
  public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(load: load) }

  /// The value form: what casts from `NSURLRequest` call; always succeeds.
  public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {
    result = URLRequest(load: source.load)
  }

  /// The value form: what casts from `NSURLRequest` call; always succeeds.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool {
    result = URLRequest(load: source.load)
    return true
  }

  /// The value form: what `as URLRequest` calls; of nil, a request without a URL.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest {
    URLRequest(load: source?.load ?? LoadRequest(url: nil))
  }
}
