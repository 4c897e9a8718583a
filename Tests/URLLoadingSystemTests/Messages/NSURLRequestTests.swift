import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct NSURLRequestTests {
  let url = URL(filePath: "/a")

  @Test func valueAndReferenceConvertWithAs() throws {
    var request = URLRequest(url: url)
    request.setValue("1", forHTTPHeaderField: "X-A")
    let reference = request as NSURLRequest
    #expect(reference.value(forHTTPHeaderField: "x-a") == "1")
    #expect((reference as URLLoadingSystem.URLRequest) == request)
    let mutable = try #require((request as NSURLRequest).mutableCopy() as? NSMutableURLRequest)
    mutable.httpMethod = "PUT"
    #expect((mutable as URLLoadingSystem.URLRequest).httpMethod == "PUT")
    #expect(request.httpMethod == "GET")
  }

  @Test func dynamicCastsBridgeBothWays() {
    let request = URLRequest(url: url)
    #expect((request as Any) as? NSURLRequest != nil)
    #expect((request as AnyObject) is NSURLRequest)
    let reference = NSMutableURLRequest(url: url)
    #expect((reference as Any) as? URLLoadingSystem.URLRequest == request)
  }

  @Test func copyOfImmutableIsItself() {
    let reference = NSURLRequest(url: url)
    #expect(reference.copy() as AnyObject === reference)
  }

  @Test func copyOfMutableIsAnImmutableSnapshot() throws {
    let mutable = NSMutableURLRequest(url: url)
    mutable.httpBodyStream = InputStream(data: Data())
    let copy = try #require(mutable.copy() as? NSURLRequest)
    #expect(type(of: copy) == NSURLRequest.self)
    #expect(copy.httpBodyStream === mutable.httpBodyStream)
    mutable.httpMethod = "DELETE"
    #expect(copy.httpMethod == "GET")
  }

  @Test func equalityIgnoresMutability() {
    let immutable = NSURLRequest(url: url)
    let mutable = NSMutableURLRequest(url: url)
    #expect(immutable.isEqual(mutable))
    #expect(mutable.isEqual(immutable))
    #expect(immutable.hash == mutable.hash)
    mutable.timeoutInterval = 3
    #expect(!immutable.isEqual(mutable))
    #expect(!immutable.isEqual("text"))
    #expect(!immutable.isEqual(nil))
  }

  @Test func everyPropertyOfTheMutableFormReadsBack() {
    let request = NSMutableURLRequest(url: url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7)
    let asBase = request as NSURLRequest
    #expect(asBase.cachePolicy == .returnCacheDataElseLoad && asBase.timeoutInterval == 7)
    request.url = nil
    request.cachePolicy = .reloadRevalidatingCacheData
    request.timeoutInterval = 8
    request.mainDocumentURL = url
    request.networkServiceType = .voice
    request.allowsCellularAccess = false
    request.allowsExpensiveNetworkAccess = false
    request.allowsConstrainedNetworkAccess = false
    request.allowsUltraConstrainedNetworkAccess = true
    request.assumesHTTP3Capable = true
    request.attribution = .user
    request.requiresDNSSECValidation = true
    request.allowsPersistentDNS = true
    request.cookiePartitionIdentifier = "p"
    request.httpMethod = "post"
    request.allHTTPHeaderFields = ["X-A": "1"]
    request.addValue("2", forHTTPHeaderField: "x-a")
    request.setValue("3", forHTTPHeaderField: "X-B")
    request.httpBody = Data([1])
    request.httpShouldHandleCookies = false
    request.httpShouldUsePipelining = true
    #expect(asBase.url == nil && asBase.cachePolicy == .reloadRevalidatingCacheData && asBase.timeoutInterval == 8)
    #expect(asBase.mainDocumentURL == url && asBase.networkServiceType == .voice && asBase.attribution == .user)
    #expect(!asBase.allowsCellularAccess && !asBase.allowsExpensiveNetworkAccess && !asBase.allowsConstrainedNetworkAccess)
    #expect(asBase.allowsUltraConstrainedNetworkAccess && asBase.assumesHTTP3Capable && asBase.requiresDNSSECValidation)
    #expect(asBase.allowsPersistentDNS && asBase.cookiePartitionIdentifier == "p" && asBase.httpMethod == "POST")
    #expect(asBase.allHTTPHeaderFields == ["X-A": "1,2", "X-B": "3"] && asBase.httpBody == Data([1]))
    #expect(!asBase.httpShouldHandleCookies && asBase.httpShouldUsePipelining && asBase.httpBodyStream == nil)
  }

  @Test func requestWithoutURLIsLegal() {
    let request = NSMutableURLRequest()
    #expect(request.url == nil)
    #expect(request.description.hasSuffix("{ URL: (null) }"))
    request.url = url
    #expect(request.description.contains("<NSMutableURLRequest: 0x"))
    #expect(request.description.hasSuffix("{ URL: \(url.absoluteString) }"))
  }

  @Test func subclassesMayOverrideAndAddInitialisers() {
    let tagged = TaggedRequest(tag: "t", url: url)
    #expect(tagged.httpMethod == "TAGGED")
    #expect(PlainSubclass(url: url).url == url)
  }

  @Test func protocolPropertiesTravelWithCopies() throws {
    let mutable = NSMutableURLRequest(url: url)
    mutable.load.setProperty(42, forKey: "handled")
    let copy = mutable as URLLoadingSystem.URLRequest
    #expect(copy.load.property(forKey: "handled") as? Int == 42)
    mutable.load.setProperty(nil, forKey: "handled")
    #expect(mutable.load.property(forKey: "handled") == nil)
    #expect(copy.load.property(forKey: "handled") as? Int == 42)
    #expect(copy == mutable as URLLoadingSystem.URLRequest)
  }
}

private final class PlainSubclass: NSMutableURLRequest {}

private final class TaggedRequest: NSURLRequest {
  let tag: String
  init(tag: String, url: URL) {
    self.tag = tag
    super.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 1)
  }
  required init?(coder: NSCoder) { nil }
  override var httpMethod: String? { "TAGGED" }
}
