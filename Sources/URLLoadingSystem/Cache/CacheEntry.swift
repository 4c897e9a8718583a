import Foundation
import LoadingModel

/// What finds a stored response: the method and the URL without its fragment (RFC 9111, 2). Only GET is stored.
struct CacheKey: Hashable {
  let url: String

  /// nil if responses to such a request aren't stored.
  init?(_ request: URLRequest) {
    guard let url = request.url, request.httpMethod == "GET" else { return nil }
    let text = url.absoluteString
    self.url = text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
  }
}

/// A stored response with what is needed to find and to drop it. Immutable.
struct CacheEntry {
  let response: CachedURLResponse
  let storedAt: Date
  /// The request's values of the fields that the response's `Vary` names.
  private let varying: [(name: String, value: String?)]

  init(_ response: CachedURLResponse, for request: URLRequest, at now: Date) {
    self.response = response
    storedAt = now
    let names = (response.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Vary") ?? ""
    varying = names.split(separator: ",").map { element in
      let name = String(element.trimmingSpaces())
      return (name, request.value(forHTTPHeaderField: name))
    }
  }

  /// Whether the response may answer `request`: every field that it varies by is the same (RFC 9111, 4.1). "*" never is.
  func isSelected(by request: URLRequest) -> Bool {
    varying.allSatisfy { $0.name != "*" && request.value(forHTTPHeaderField: $0.name) == $0.value }
  }

  /// Bytes of memory that the entry is charged: body, header fields and URL.
  var cost: Int {
    var bytes = response.data.count + (response.response.url?.absoluteString.utf8.count ?? 0)
    guard let http = response.response as? HTTPURLResponse else { return bytes }
    for (name, value) in http.allHeaderFields {
      bytes += ((name.base as? String)?.utf8.count ?? 0) + ((value as? String)?.utf8.count ?? 0)
    }
    return bytes
  }
}
