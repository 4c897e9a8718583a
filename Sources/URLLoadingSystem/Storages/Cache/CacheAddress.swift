import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

/// The cache key of an app's request, and conversions between the app's `CachedURLResponse` and the store's `StoredResponse`.
struct CacheAddress {
  let url: String
  let request: URLRequest

  /// The key of `request`; nil if responses to it aren't stored, because it isn't a GET or has no URL.
  init?(_ request: URLRequest) {
    guard let url = request.url, request.httpMethod == "GET" else { return nil }
    self.url = CacheAddress.key(url, request.load.target)
    self.request = request
  }

  /// The URL under which a response is stored: normalised for HTTP; a URL of the app's own scheme is used as it is, without its fragment.
  static func key(_ url: URL, _ target: Target?) -> String {
    if let target { return CacheKey.url(target) }
    let text = url.absoluteString
    return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
  }

  // MARK: Looking up

  /// The response that matches the request, among all that are stored for its URL; nil if none does.
  func selected(from stored: [StoredResponse]) -> StoredResponse? {
    let fitting = stored.filter { response in VaryRules.matches(response.facts) { fields(for: response) } }
    return VaryRules.select(fitting.map(\.facts)) { fields(for: fitting.first) }.map { fitting[$0] } ?? fitting.first
  }

  /// The request's fields as they are compared by `Vary`. Fields that only a session fills in, and the app's request lacks, are taken from the stored
  /// response, so that they match.
  private func fields(for response: StoredResponse?) -> HeaderFields {
    var fields = request.load.headers
    for entry in response?.requestFields.entries ?? []
    where CacheAddress.isFilledIn(entry.name) && !request.load.headers.contains(entry.name) {
      fields.add(entry.name, entry.value)
    }
    return fields
  }

  // MARK: Storing

  /// Converts the app's response for the store: its head is changed to describe decoded data, and `Vary` is reduced to fields of the request.
  func stored(_ cached: CachedURLResponse, at now: Date) -> StoredResponse {
    let original = CacheAddress.head(cached.response)
    var head = StoredFieldRules.storable(original, receivedAt: now)
    head.headers.remove("Content-Encoding")
    if head.headers.contains("Content-Length") { head.headers.set("Content-Length", String(cached.data.count)) }
    narrowVary(&head)
    var stored = StoredResponse(
      url: url, head: head, requestFields: VaryRules.nominated(head, in: request.load.headers), requestTime: now, responseTime: now)
    stored.storagePolicy = Int(cached.storagePolicy.rawValue)
    stored.userInfo = CachedUserInfo.archived(cached.userInfo)
    stored.source = cached.response is HTTPURLResponse ? .app : .appPlain
    stored.appHead = stored.source == .appPlain ? PlainHead.head(cached.response) : original
    stored.responseURL = cached.response.url?.absoluteString
    stored.object = cached
    return stored
  }

  static func head(_ response: URLResponse) -> ResponseHead {
    if let http = response as? HTTPURLResponse { return http.head }
    var head = ResponseHead(status: 200, reason: "OK", headers: HeaderFields())
    guard let type = response.mimeType else { return head }
    let charset = response.textEncodingName.map { "; charset=\($0)" } ?? ""
    head.headers.add("Content-Type", type + charset)
    return head
  }

}

/// Encodes a `URLResponse` that isn't an `HTTPURLResponse` as header fields for the store, and restores it.
enum PlainHead {
  static func head(_ response: URLResponse) -> ResponseHead {
    var fields = HeaderFields()
    if let type = response.mimeType { fields.add("type", type) }
    if let encoding = response.textEncodingName { fields.add("encoding", encoding) }
    fields.add("length", String(response.expectedContentLength))
    return ResponseHead(status: 0, headers: fields)
  }

  static func response(_ head: ResponseHead, url: URL) -> URLResponse {
    let kind = LoadResponse.Kind.plain(mimeType: head.headers.first("type"), textEncoding: head.headers.first("encoding"))
    return URLResponse(
      load: LoadResponse(url: url, kind: kind, expectedLength: head.headers.first("length").flatMap { Int64($0) } ?? -1))
  }
}
