import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Stores

extension CachedURLResponse {
  /// The size in bytes up to which a body is decoded even if the cache's capacity is smaller.
  private static let decodedAllowance: Int64 = 1 << 20

  /// Converts a stored response for the app, with its body decoded; nil if the body has been removed or can't be decoded. Blocks on the disk.
  ///
  /// A response that the app stored itself is returned exactly as given, although the store's head may differ (`CacheAddress.stored`).
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
    // The expected length is -1 for an encoded body, as in a load: its `Content-Length` isn't the length of the decoded data.
    let length = head.headers.contains("Content-Encoding") ? -1 : Int64(body.count)
    var response = LoadResponse(url: url, kind: .http(head), expectedLength: length)
    response.sniff(decoded)
    return URLResponse.make(response)
  }
}
