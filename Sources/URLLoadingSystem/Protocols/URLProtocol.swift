import Foundation
import LoadingModel

/// A class by which an app loads a scheme itself, or replaces the network in tests, as Apple documents.
///
/// Subclasses override `canInit(with:)`, `canonicalRequest(for:)`, `startLoading()` and `stopLoading()`. Each instance serves one load. It is made,
/// started and stopped on a thread of the library's with a running run loop, so that timers, `RunLoop.current` and an `NSURLConnection` started there
/// work. Up to 16 loads at a time have a thread each; further loads share those that don't block.
open class URLProtocol: NSObject, @unchecked Sendable {
  // @unchecked: what is stored here is immutable; subclasses answer for what they add.
  private let storedRequest: URLRequest
  private let storedResponse: CachedURLResponse?
  private let storedClient: (any URLProtocolClient)?
  private let storedTask: URLSessionTask?

  /// An instance for one load. As on Apple's platforms, a subclass overrides it with `override init`.
  public init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    storedRequest = request
    storedResponse = cachedResponse
    storedClient = client
    storedTask = (client as? CustomProtocolClient)?.task
    super.init()
  }

  /// An instance for the load of `task`; `URLSession` calls this initialiser.
  public required convenience init(task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    let request = (client as? CustomProtocolClient)?.request ?? task.currentRequest ?? URLRequest(load: LoadRequest(url: nil))
    self.init(request: request, cachedResponse: cachedResponse, client: client)
  }

  /// The object to which the instance reports the response, the body and the end of its load.
  open var client: (any URLProtocolClient)? { storedClient }

  /// The request to load.
  ///
  /// A body in memory or in a file is in `httpBodyStream`, as on Apple's platforms; one in memory is in `httpBody` too. Either can be read any number
  /// of times: `httpBodyStream` begins anew when it is opened again, and is a new stream once it has been closed or read to its end. A stream of the
  /// app's own is passed on unchanged, and can be read once.
  open var request: URLRequest { storedRequest }

  /// The response that the session's cache holds for the canonical request, whatever its age; nil if there is none, if the request's cache policy
  /// ignores the cache, and for downloads. The class decides whether to use it, by `urlProtocol(_:cachedResponseIsValid:)`.
  open var cachedResponse: CachedURLResponse? { storedResponse }

  /// The task whose load this is; nil if the instance wasn't made by a session.
  open var task: URLSessionTask? { storedTask }

  /// Whether the class loads this request. The default implementation returns false.
  open class func canInit(with request: URLRequest) -> Bool { false }

  /// Whether the class loads this task. The default implementation calls `canInit(with:)` with the task's current request.
  open class func canInit(with task: URLSessionTask) -> Bool {
    // An upload's body is shown as the request's own, unlike in `currentRequest`.
    guard task.currentRequest != nil, let request = task.fields.withLock({ $0.currentRequest }) else { return false }
    return canInit(with: URLRequest(load: request.shownToProtocol))
  }

  /// The canonical form of a request, equal for all requests that load the same. The default implementation returns it unchanged.
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Whether two requests may share a cached response. The default implementation compares their canonical URLs.
  open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool {
    canonicalRequest(for: a).url == canonicalRequest(for: b).url
  }

  /// Begins the load. To be overridden; the default implementation fails the load.
  open func startLoading() {
    client?.urlProtocol(
      self,
      didFailWithError: URLError(
        .unsupportedURL, userInfo: [NSLocalizedDescriptionKey: "\(Swift.type(of: self)) doesn't override startLoading()"]))
  }

  /// Ends the load; the instance must not call its client afterwards. To be overridden; the default implementation does nothing.
  open func stopLoading() {}

  /// The value that was stored with a request under `key`.
  open class func property(forKey key: String, in request: URLRequest) -> Any? {
    request.load.fields.properties?.values[key]
  }

  /// Stores a value with a request under `key`; it is copied with the request.
  open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
    request.load.setProperty(value, forKey: key)
  }

  /// Removes the value that was stored with a request under `key`.
  open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
    request.load.setProperty(nil, forKey: key)
  }

  /// Offers a class to `URLSession.shared`; the class registered last is asked first.
  /// - Returns: false if it isn't a subclass of `URLProtocol`.
  @discardableResult
  open class func registerClass(_ protocolClass: AnyClass) -> Bool {
    guard let protocolClass = protocolClass as? URLProtocol.Type else { return false }
    RegisteredProtocols.shared.add(protocolClass)
    return true
  }

  /// Undoes the latest `registerClass(_:)` of this class.
  open class func unregisterClass(_ protocolClass: AnyClass) {
    RegisteredProtocols.shared.remove(protocolClass)
  }
}

/// The methods by which a `URLProtocol` reports; the loading system implements them. They may be called from any thread.
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
  /// Reports a redirect; the load continues with `request`, by a new protocol instance.
  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
  /// Reports that the cached response can be used: it becomes the result, and the load is complete.
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
  /// Reports the response. With a `policy` other than `.notAllowed` it is stored in the session's cache once its body is complete, unless HTTP's
  /// rules or the delegate's `willCacheResponse` forbid it; the response to a download isn't stored.
  func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
  /// Reports a piece of the body, which follows the pieces before.
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
  /// Reports that the load has ended successfully.
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
  /// Reports that the load has failed; the app gets `error` unchanged.
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
  /// Reports a challenge; the delegate's answer is given to the challenge's sender. The request timeout stands still until then.
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
  /// Reports that a challenge needs no answer any more: the request timeout runs again.
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}
