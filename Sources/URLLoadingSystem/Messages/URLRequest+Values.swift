import Foundation
import LoadingModel

extension URLRequest: Hashable {
  /// Whether URL, method, header fields, body and all settings are equal. Body streams compare by identity.
  public static func == (lhs: URLRequest, rhs: URLRequest) -> Bool {
    lhs.load.isIdentical(to: rhs.load) || lhs.load.fields.asksTheSame(as: rhs.load.fields)
  }

  /// Hashes most of the fields that `==` compares; equal requests have equal hashes.
  public func hash(into hasher: inout Hasher) { load.fields.hash(into: &hasher) }
}

extension URLRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, or "url: nil".
  public var description: String { url?.description ?? "url: nil" }

  /// The same as `description`: header values and bodies aren't shown, so that they don't get into logs.
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

// `_ObjectiveCBridgeable` is named besides `ReferenceConvertible`, which doesn't include it here: off Apple's platforms the compiler accepts `request
// as NSURLRequest`, and the runtime casts through `Any`, only with this conformance.
extension URLRequest: ReferenceConvertible, _ObjectiveCBridgeable {
  /// Makes the reference form; called by `as NSURLRequest`.
  public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(load: load) }

  /// Makes the value form of a reference; called by casts from `NSURLRequest`, and always succeeds.
  public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {
    result = URLRequest(load: source.load)
  }

  /// Makes the value form of a reference; called by casts from `NSURLRequest`, and always succeeds.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool {
    result = URLRequest(load: source.load)
    return true
  }

  /// Makes the value form of a reference; called by `as URLRequest`. nil becomes a request without a URL.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest {
    URLRequest(load: source?.load ?? LoadRequest(url: nil))
  }
}
