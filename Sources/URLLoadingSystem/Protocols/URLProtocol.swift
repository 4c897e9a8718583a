import Foundation
import LoadingModel

/// An app's own way of loading a scheme, or of replacing the network in tests, as Apple documents.
///
/// Subclasses override `canInit(with:)`, `canonicalRequest(for:)`, `startLoading()` and `stopLoading()`. Each instance serves one load. It is
/// made, started and stopped on a thread of the library's whose run loop turns, so that timers, `RunLoop.current` and an `NSURLConnection`
/// that it starts there work. Up to 16 loads at a time have such a thread each; more share those that don't block.
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

  /// An instance for the load of `task`: what `URLSession` calls.
  public required convenience init(task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    let request = (client as? CustomProtocolClient)?.request ?? task.currentRequest ?? URLRequest(load: LoadRequest(url: nil))
    self.init(request: request, cachedResponse: cachedResponse, client: client)
  }

  /// The object that is told what the load brings.
  open var client: (any URLProtocolClient)? { storedClient }

  /// The request to load.
  ///
  /// A body in memory or in a file arrives as `httpBodyStream`, as on Apple's platforms; one in memory as `httpBody` too. Either may be
  /// read any number of times: `httpBodyStream` begins anew when it is opened again, and is a new stream once it has been closed or read to
  /// its end. A stream of the app's own is passed on as it is, and can be read once.
  open var request: URLRequest { storedRequest }

  /// What the session's cache holds for the canonical request, whatever its age; nil if it holds nothing, if the request's cache policy
  /// ignores the cache, and for downloads. Whether it may answer is for the class to decide: `urlProtocol(_:cachedResponseIsValid:)`.
  open var cachedResponse: CachedURLResponse? { storedResponse }

  /// The task that is loaded; nil outside a session.
  open var task: URLSessionTask? { storedTask }

  /// Whether the class loads this request. The default says no.
  open class func canInit(with request: URLRequest) -> Bool { false }

  /// Whether the class loads this task. The default asks `canInit(with:)` for the current request.
  open class func canInit(with task: URLSessionTask) -> Bool {
    // An upload's body is shown as the request's own.
    guard task.currentRequest != nil, let request = task.fields.withLock({ $0.currentRequest }) else { return false }
    return canInit(with: URLRequest(load: request.shownToProtocol))
  }

  /// The canonical form of a request, the same for all equal requests. The default returns it as it is.
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Whether two requests may share a cached response. The default compares canonical URLs.
  open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool {
    canonicalRequest(for: a).url == canonicalRequest(for: b).url
  }

  /// Begins to load. To be overridden; the default fails the load.
  open func startLoading() {
    client?.urlProtocol(
      self,
      didFailWithError: URLError(
        .unsupportedURL, userInfo: [NSLocalizedDescriptionKey: "\(Swift.type(of: self)) doesn't override startLoading()"]))
  }

  /// Ends the load; no client call may follow. To be overridden; the default does nothing.
  open func stopLoading() {}

  /// The value that was stored with a request under `key`.
  open class func property(forKey key: String, in request: URLRequest) -> Any? {
    request.load.fields.properties?.values[key]
  }

  /// Stores a value with a request; it travels with the request's copies.
  open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
    request.load.setProperty(value, forKey: key)
  }

  /// Takes a stored value away.
  open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
    request.load.setProperty(nil, forKey: key)
  }

  /// Offers a class to `URLSession.shared`; the class registered last is asked first.
  /// - Returns: False if it is no subclass of `URLProtocol`.
  @discardableResult
  open class func registerClass(_ protocolClass: AnyClass) -> Bool {
    guard let protocolClass = protocolClass as? URLProtocol.Type else { return false }
    RegisteredProtocols.shared.add(protocolClass)
    return true
  }

  /// Takes the class back: the latest registration of it.
  open class func unregisterClass(_ protocolClass: AnyClass) {
    RegisteredProtocols.shared.remove(protocolClass)
  }
}

/// How a `URLProtocol` reports; the loading system implements it. Calls may come from any thread.
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
  /// The server wants another request to be made; the load continues with a new protocol instance.
  func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
  /// The cached response is good: it becomes the result.
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
  /// The response is there. With a `policy` other than `.notAllowed` it is stored in the session's cache once its body is complete, unless
  /// HTTP's rules or the delegate's `willCacheResponse` are against it; the response to a download isn't.
  func urlProtocol(_ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
  /// A piece of body is there; pieces add up.
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
  /// The load is complete.
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
  /// The load failed; the error reaches the app as it is.
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
  /// A credential is needed; the answer is given to the challenge's sender.
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
  /// The challenge is no longer of interest.
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}
