import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

extension CachedURLResponse {
  /// Bytes that a decoded body may have in any case.
  private static let decodedAllowance: Int64 = 1 << 20

  /// A stored response as the app sees it, with its body decoded; nil if the body has vanished or can't be decoded. Waits for the disk.
  ///
  /// What the app stored comes back as it gave it, also where the store's own head differs (`CacheAddress.stored`).
  static func make(_ stored: StoredResponse, in store: ResponseCache) -> CachedURLResponse? {
    guard let body = store.bodyNow(stored), let url = URL(string: stored.responseURL ?? stored.url) else { return nil }
    if let known = stored.object as? CachedURLResponse { return known }
    guard let data = decoded(body, stored, in: store) else { return nil }
    return CachedURLResponse(
      response: response(stored, url, body, decoded: data), data: data, userInfo: CachedUserInfo.dictionary(stored.userInfo),
      storagePolicy: URLCache.StoragePolicy(rawValue: UInt(clamping: stored.storagePolicy)) ?? .allowed)
  }

  private static func decoded(_ body: Data, _ stored: StoredResponse, in store: ResponseCache) -> Data? {
    guard stored.source == .load else { return body }
    return DecodedContent.data(body, head: stored.head, limit: Int(clamping: max(store.capacity, decodedAllowance)))
  }

  private static func response(_ stored: StoredResponse, _ url: URL, _ body: Data, decoded: Data) -> URLResponse {
    if stored.source == .appPlain, let head = stored.appHead { return PlainHead.response(head, url: url) }
    let head = stored.appHead ?? stored.head
    // As the loader has it: the length of a coded body says nothing about the decoded one.
    let length = head.headers.contains("Content-Encoding") ? -1 : Int64(body.count)
    var response = LoadResponse(url: url, kind: .http(head), expectedLength: length)
    response.sniff(decoded)
    return URLResponse.make(response)
  }
}
