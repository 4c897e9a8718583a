import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

/// What finds the responses stored for an app's request, and the way from the app's form of a response to the store's.
struct CacheAddress {
  let url: String
  let request: URLRequest

  /// nil if responses to such a request aren't stored.
  init?(_ request: URLRequest) {
    guard let url = request.url, request.httpMethod == "GET" else { return nil }
    self.url = CacheAddress.key(url, request.load.target)
    self.request = request
  }

  /// A scheme of the app's own has no host and port that could be written in one way: its URLs are compared as they are.
  static func key(_ url: URL, _ target: Target?) -> String {
    if let target { return CacheKey.url(target) }
    let text = url.absoluteString
    return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
  }

  // MARK: looking up

  /// Of what is stored for the URL, the response that fits the request.
  func selected(from stored: [StoredResponse]) -> StoredResponse? {
    let fitting = stored.filter { response in VaryRules.matches(response.facts) { fields(for: response) } }
    return VaryRules.select(fitting.map(\.facts)) { fields(for: fitting.first) }.map { fitting[$0] } ?? fitting.first
  }

  /// The request's fields, and in place of those that a session would fill in, the ones that the response was stored for: the app can't know
  /// what they will be.
  private func fields(for response: StoredResponse?) -> HeaderFields {
    var fields = request.load.headers
    for entry in response?.requestFields.entries ?? []
    where CacheAddress.isFilledIn(entry.name) && !request.load.headers.contains(entry.name) {
      fields.add(entry.name, entry.value)
    }
    return fields
  }

  // MARK: storing

  /// The app's response as the store keeps it: with a head that is true of decoded data and of what the request says.
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

/// A plain `URLResponse` in the fields of a head, so that it comes back as what it was.
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
