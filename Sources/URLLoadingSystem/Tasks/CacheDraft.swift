import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

/// A body kept aside while it is delivered, to be proposed to the delegate for caching.
///
/// Made only if the delegate implements `willCacheResponse` and the response may be stored. Confined to its load.
struct CacheDraft {
  private let cache: URLCache
  private let capacity: Int64
  private let request: LoadRequest
  private let head: ResponseHead
  private var body = Data()
  private var isTooLong = false

  init?(_ response: LoadResponse, chain: DelegateChain, session: URLSession, context: LoadContext) {
    guard chain.mayImplement(.willCacheResponse), let head = response.httpHead, let cache = session.settings.urlCache else { return nil }
    capacity = Int64(max(cache.memoryCapacity, cache.diskCapacity))
    request = context.record.request
    self.head = head
    self.cache = cache
    let length = response.expectedLength < 0 ? nil : response.expectedLength
    let decision = StorageRules.decide(request: request, head: head, bodyLength: length, capacity: capacity, receivedAt: Date())
    guard decision.isStorable else { return nil }
  }

  mutating func append(_ bytes: ByteBuffer) {
    guard !isTooLong else { return }
    isTooLong = Int64(body.count + bytes.readableBytes) > capacity / 20
    if isTooLong { body = Data() } else { body.append(contentsOf: bytes.readableBytesView) }
  }

  /// What to propose; nil if the body turned out too long.
  func proposal(_ response: URLResponse, _ collected: CollectedBody?) -> CachedURLResponse? {
    guard !isTooLong else { return nil }
    let data = collected?.copied ?? body
    let decision = StorageRules.decide(
      request: request, head: head, bodyLength: Int64(data.count), capacity: capacity, receivedAt: Date())
    return decision.isStorable ? CachedURLResponse(response: response, data: data) : nil
  }

  func store(_ response: CachedURLResponse, for task: URLSessionDataTask) {
    cache.storeCachedResponse(response, for: task)
  }
}
