import Foundation
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct MessageArchiveTests {
  let url = URL(filePath: "/a")

  private func roundTrip<T: NSObject & NSSecureCoding>(_ object: T) throws -> T {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data))
  }

  private func fullRequest() -> NSMutableURLRequest {
    let request = NSMutableURLRequest(url: url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7.5)
    request.mainDocumentURL = url
    request.networkServiceType = .video
    request.allowsCellularAccess = false
    request.allowsExpensiveNetworkAccess = false
    request.allowsConstrainedNetworkAccess = false
    request.allowsUltraConstrainedNetworkAccess = true
    request.assumesHTTP3Capable = true
    request.attribution = .user
    request.requiresDNSSECValidation = true
    request.allowsPersistentDNS = true
    request.cookiePartitionIdentifier = "p"
    request.httpMethod = "patch"
    request.allHTTPHeaderFields = ["X-A": "1", "Content-Type": "a/b"]
    request.httpBody = Data([0, 1, 255])
    request.httpShouldHandleCookies = false
    request.httpShouldUsePipelining = true
    return request
  }

  @Test func requestSurvivesWithAllItsProperties() throws {
    let request = fullRequest()
    let restored = try roundTrip(request)
    #expect(restored.isEqual(request))
    restored.httpMethod = "PUT"
    #expect(restored.httpMethod == "PUT")
  }

  @Test func immutableRequestSurvivesAndStaysImmutable() throws {
    let restored = try roundTrip(NSURLRequest(url: url))
    #expect(type(of: restored) == NSURLRequest.self)
    #expect(restored.isEqual(NSURLRequest(url: url)))
  }

  @Test func requestWithoutURLSurvives() throws {
    #expect(try roundTrip(NSURLRequest()).url == nil)
  }

  @Test func bodyStreamIsDroppedFromArchives() throws {
    let request = NSMutableURLRequest(url: url)
    request.httpBodyStream = InputStream(data: Data([1]))
    let restored = try roundTrip(request)
    #expect(restored.httpBodyStream == nil && restored.httpBody == nil)
  }

  @Test func responseSurvives() throws {
    let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 1 << 40, textEncodingName: "utf-8")
    let restored = try roundTrip(response)
    #expect(restored.isEqual(response))
  }

  @Test func httpResponseSurvives() throws {
    let fields = ["content-type": "text/html; charset=utf-8", "Content-Length": "5", "X-A": "1"]
    let response = try #require(HTTPURLResponse(url: url, statusCode: 206, httpVersion: "HTTP/2", headerFields: fields))
    let restored = try roundTrip(response)
    #expect(restored.isEqual(response))
    #expect(restored.statusCode == 206 && restored.mimeType == "text/html" && restored.expectedContentLength == 5)
  }

  @Test func httpResponseIsFoundWhereAResponseIsAskedFor() throws {
    let response = try #require(HTTPURLResponse(url: url, statusCode: 204, httpVersion: nil, headerFields: nil))
    let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
    let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: URLResponse.self, from: data)
    #expect((restored as? HTTPURLResponse)?.statusCode == 204)
  }

  @Test(arguments: ["", "bplist00 garbage", "<?xml"])
  func garbageThrowsInsteadOfTrapping(text: String) {
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURLRequest.self, from: Data(text.utf8))
    }
  }

  @Test func archiveWithoutAMessagesKeysGivesNil() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSString(string: "x"), forKey: "other")
    archiver.finishEncoding()
    let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(NSURLRequest(coder: decoder) == nil)
    #expect(NSMutableURLRequest(coder: decoder) == nil)
    #expect(URLResponse(coder: decoder) == nil)
    #expect(HTTPURLResponse(coder: decoder) == nil)
  }

  @Test(
    arguments: ["NS.url", "NS.httpMethod", "NS._allHTTPHeaderFields", "NS._timeoutInterval", "NS.cachePolicy", "NS._allowsCellularAccess"],
    [true, false])
  func valueOfTheWrongTypeGivesNil(key: String, secure: Bool) throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    if key != "NS.httpMethod" { archiver.encode(NSString(string: "GET"), forKey: "NS.httpMethod") }
    archiver.encode(NSDate(), forKey: key)
    archiver.finishEncoding()
    let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    decoder.requiresSecureCoding = secure
    #expect(NSURLRequest(coder: decoder) == nil)
  }

  @Test func headerDictionaryOfOtherThingsGivesNil() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSURL(fileURLWithPath: "/"), forKey: "NS.url")
    archiver.encode(200, forKey: "NS.statusCode")
    archiver.encode(["A": NSNumber(value: 1)] as NSDictionary, forKey: "NS.allHeaderFields")
    archiver.finishEncoding()
    let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(HTTPURLResponse(coder: decoder) == nil)
  }

  @Test(arguments: ["NS.statusCode", "NS.expectedContentLength", "NS.httpBody"])
  func objectInPlaceOfANumberOrBytesReadsAsNone(key: String) throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSURL(fileURLWithPath: "/"), forKey: "NS.url")
    archiver.encode(NSString(string: "GET"), forKey: "NS.httpMethod")
    if key != "NS.statusCode" { archiver.encode(200, forKey: "NS.statusCode") }
    archiver.encode(NSString(string: "text"), forKey: key)
    archiver.finishEncoding()
    let response = try #require(HTTPURLResponse(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)))
    #expect(response.statusCode == (key == "NS.statusCode" ? 0 : 200))
    #expect(response.expectedContentLength == (key == "NS.expectedContentLength" ? 0 : -1))
    #expect(NSURLRequest(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))?.httpBody == nil)
  }

  @Test func requestArchivedByTheToolchainsModuleIsRead() throws {
    ArchiveNames.register()
    let data = try #require(ToolchainArchives.data(ToolchainArchives.request))
    let request = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURLRequest.self, from: data))
    #expect(request is NSMutableURLRequest)
    #expect(request.url?.absoluteString == "http://h.org/a" && request.httpMethod == "PUT" && request.timeoutInterval == 9)
    #expect(request.cachePolicy == .returnCacheDataElseLoad && request.value(forHTTPHeaderField: "x-a") == "1")
    #expect(request.httpBody == Data("abc".utf8))
    #expect(request.allowsExpensiveNetworkAccess)
  }

  @Test func responseArchivedByTheToolchainsModuleIsRead() throws {
    ArchiveNames.register()
    let data = try #require(ToolchainArchives.data(ToolchainArchives.response))
    let response = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: data))
    #expect(response.statusCode == 206 && response.mimeType == "text/html" && response.expectedContentLength == 7)
    #expect(response.url?.absoluteString == "http://h.org/a")
  }
}
