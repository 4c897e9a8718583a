import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct URLRequestTests {
  let url = URL(filePath: "/").appending(path: "a")
  var request: URLLoadingSystem.URLRequest { URLRequest(url: url) }

  @Test func freshRequestHasApplesDefaults() {
    let request = request
    #expect(request.url == url)
    #expect(request.cachePolicy == .useProtocolCachePolicy)
    #expect(request.timeoutInterval == 60)
    #expect(request.mainDocumentURL == nil)
    #expect(request.networkServiceType == .default)
    #expect(request.allowsCellularAccess)
    #expect(request.allowsExpensiveNetworkAccess)
    #expect(request.allowsConstrainedNetworkAccess)
    #expect(!request.allowsUltraConstrainedNetworkAccess)
    #expect(!request.assumesHTTP3Capable)
    #expect(request.attribution == .developer)
    #expect(!request.requiresDNSSECValidation)
    #expect(!request.allowsPersistentDNS)
    #expect(request.cookiePartitionIdentifier == nil)
    #expect(request.httpMethod == "GET")
    #expect(request.allHTTPHeaderFields == nil)
    #expect(request.httpBody == nil)
    #expect(request.httpBodyStream == nil)
    #expect(request.httpShouldHandleCookies)
    #expect(!request.httpShouldUsePipelining)
  }

  @Test func initialiserTakesPolicyAndTimeout() {
    let request = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad, timeoutInterval: 0.25)
    #expect(request.cachePolicy == .returnCacheDataDontLoad)
    #expect(request.timeoutInterval == 0.25)
    #expect(NSURLRequest.CachePolicy.reloadIgnoringCacheData == .reloadIgnoringLocalCacheData)
  }

  @Test(arguments: [
    ("get", "GET"), ("Head", "HEAD"), ("post", "POST"), ("put", "PUT"), ("delete", "DELETE"), ("connect", "CONNECT"),
    ("patch", "patch"), ("PATCH", "PATCH"), ("options", "options"), ("Häd", "Häd"),
  ])
  func onlyTheSixKnownMethodsAreUpperCased(given: String, stored: String) {
    var request = request
    request.httpMethod = given
    #expect(request.httpMethod == stored)
  }

  @Test func nilMethodRestoresGET() {
    var request = request
    request.httpMethod = "POST"
    request.httpMethod = nil
    #expect(request.httpMethod == "GET")
  }

  @Test func copiesAreIndependent() {
    let first = request
    var second = first
    second.setValue("1", forHTTPHeaderField: "X-A")
    second.httpMethod = "PUT"
    #expect(first.allHTTPHeaderFields == nil)
    #expect(first.httpMethod == "GET")
  }

  @Test func bodyAndStreamExcludeEachOther() {
    var request = request
    request.httpBody = Data("a".utf8)
    let stream = InputStream(data: Data("b".utf8))
    request.httpBodyStream = stream
    #expect(request.httpBody == nil)
    #expect(request.httpBodyStream === stream)
    let copy = request
    #expect(copy.httpBodyStream === stream)
    request.httpBody = Data("c".utf8)
    #expect(request.httpBodyStream == nil)
    #expect(request.httpBody == Data("c".utf8))
    request.httpBody = nil
    #expect(request.httpBody == nil)
  }

  @Test func relativeURLKeepsItsBaseWhereItIsAssigned() throws {
    let relative = try #require(URL(string: "b?c#d", relativeTo: URL(string: "http://h.test/x/a")))
    var request = URLRequest(url: relative)
    #expect(request.url?.absoluteString == "http://h.test/x/b?c#d")
    #expect(request.url?.relativeString == "http://h.test/x/b?c#d" && request.url?.baseURL == nil)
    request.url = URL(string: "/e", relativeTo: relative)
    #expect(request.url?.relativeString == "/e" && request.url?.baseURL == relative.absoluteURL)
    #expect(request.url?.absoluteString == "http://h.test/e")
    // What loads and compares is absolute.
    #expect(request.load.url?.relativeString == "http://h.test/e" && request.load.target?.pathAndQuery == "/e")
    #expect(request == URLRequest(url: try #require(URL(string: "http://h.test/e"))))
    request.load.mutate { $0.url = URL(string: "http://h.test/redirected") }
    #expect(request.url?.absoluteString == "http://h.test/redirected")
    request.url = nil
    #expect(request.url == nil)
    let reference = NSMutableURLRequest(url: relative)
    #expect(reference.url?.relativeString == "http://h.test/x/b?c#d")
    reference.url = URL(string: "/e", relativeTo: relative)
    #expect(reference.url?.relativeString == "/e" && reference.url?.absoluteString == "http://h.test/e")
  }

  @Test func descriptionIsTheURL() {
    var request = request
    #expect(request.description == url.description)
    #expect(request.debugDescription == url.description)
    request.url = nil
    #expect("\(request)" == "url: nil")
    #expect(request.customMirror.children.contains { $0.label == "httpMethod" })
  }

  @Test func enumsHaveApplesRawValues() {
    #expect(NSURLRequest.CachePolicy.reloadRevalidatingCacheData.rawValue == 5)
    #expect(NSURLRequest.NetworkServiceType.responsiveData.rawValue == 6)
    #expect(NSURLRequest.NetworkServiceType.callSignaling.rawValue == 11)
    #expect(NSURLRequest.Attribution.user.rawValue == 1)
  }
}

@Suite(.timeLimit(.minutes(10))) struct URLRequestHeaderTests {
  var request = URLRequest(url: URL(filePath: "/a"))

  @Test mutating func lookupIgnoresLetterCase() {
    request.setValue("text/plain", forHTTPHeaderField: "content-TYPE")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    #expect(request.value(forHTTPHeaderField: "Accept") == nil)
  }

  @Test mutating func wellKnownNamesReadBackInTheirUsualSpelling() {
    request.setValue("text/plain", forHTTPHeaderField: "content-type")
    request.setValue("1", forHTTPHeaderField: "x-API-key")
    #expect(request.allHTTPHeaderFields == ["Content-Type": "text/plain", "x-API-key": "1"])
  }

  @Test mutating func setReplacesAndNilRemoves() {
    request.setValue("1", forHTTPHeaderField: "X-A")
    request.setValue("2", forHTTPHeaderField: "x-a")
    #expect(request.allHTTPHeaderFields?.count == 1)
    #expect(request.value(forHTTPHeaderField: "X-A") == "2")
    request.setValue(nil, forHTTPHeaderField: "X-a")
    #expect(request.allHTTPHeaderFields == nil)
  }

  @Test(arguments: [("a\r\n b", "a b"), ("a\n\tb \r\n  c", "a b c"), ("a\r\n ", "a ")])
  func foldedValuesAreUnfolded(_ folded: String, _ value: String) {
    var request = request
    request.setValue(folded, forHTTPHeaderField: "X-A")
    request.addValue(folded, forHTTPHeaderField: "X-B")
    #expect(request.value(forHTTPHeaderField: "X-A") == value && request.value(forHTTPHeaderField: "X-B") == value)
    request.allHTTPHeaderFields = ["X-C": folded]
    #expect(request.allHTTPHeaderFields == ["X-C": value])
  }

  @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b", "a\r\n", "a\r\n b\r\nX: 1", "a\r\n b\r", "a\r\n \0"])
  func valuesWithLineBreaksOrNULAreDropped(_ value: String) {
    var request = request
    request.setValue("kept", forHTTPHeaderField: "X-A")
    request.setValue(value, forHTTPHeaderField: "X-A")
    request.addValue(value, forHTTPHeaderField: "X-A")
    request.setValue(value, forHTTPHeaderField: "X-B")
    request.addValue(value, forHTTPHeaderField: "X-C")
    #expect(request.allHTTPHeaderFields == ["X-A": "kept"])
    request.allHTTPHeaderFields = ["X-A": value, "X-D": "1"]
    #expect(request.allHTTPHeaderFields == ["X-D": "1"])
    let reference = NSMutableURLRequest(url: URL(filePath: "/a"))
    reference.setValue(value, forHTTPHeaderField: "X-A")
    reference.addValue(value, forHTTPHeaderField: "X-A")
    #expect(reference.allHTTPHeaderFields == nil)
    reference.allHTTPHeaderFields = ["X-A": value, "X-D": "1"]
    #expect(reference.allHTTPHeaderFields == ["X-D": "1"])
  }

  @Test mutating func addJoinsWithACommaUnderTheNameItHas() {
    request.addValue("1", forHTTPHeaderField: "X-A")
    request.addValue("2", forHTTPHeaderField: "x-a")
    #expect(request.allHTTPHeaderFields == ["X-A": "1,2"])
  }

  @Test mutating func assigningTheDictionaryReplacesAllFields() {
    request.setValue("1", forHTTPHeaderField: "X-A")
    request.allHTTPHeaderFields = ["X-B": "2"]
    #expect(request.allHTTPHeaderFields == ["X-B": "2"])
    request.allHTTPHeaderFields = nil
    #expect(request.allHTTPHeaderFields == nil)
    request.allHTTPHeaderFields?["X-C"] = "3"
    #expect(request.allHTTPHeaderFields == nil)
    request.allHTTPHeaderFields = [:]
    #expect(request.allHTTPHeaderFields == nil)
  }

  @Test mutating func unsendableNamesAreKeptForTheLoaderToRefuse() {
    request.setValue("b", forHTTPHeaderField: "in valid:\r\n")
    #expect(request.load.headers.first("in valid:\r\n") == "b")
    #expect(request.load.headers.count == 1)
  }
}

@Suite(.timeLimit(.minutes(10))) struct URLRequestEqualityTests {
  let base = URLRequest(url: URL(filePath: "/a"))

  private func changed(_ change: (inout URLLoadingSystem.URLRequest) -> Void) -> URLLoadingSystem.URLRequest {
    var copy = base
    change(&copy)
    return copy
  }

  @Test func everySettingCounts() {
    let variants = [
      changed { $0.url = nil }, changed { $0.cachePolicy = .reloadIgnoringLocalCacheData }, changed { $0.timeoutInterval = 1 },
      changed { $0.mainDocumentURL = $0.url }, changed { $0.networkServiceType = .video }, changed { $0.allowsCellularAccess = false },
      changed { $0.allowsExpensiveNetworkAccess = false }, changed { $0.allowsConstrainedNetworkAccess = false },
      changed { $0.allowsUltraConstrainedNetworkAccess = true }, changed { $0.assumesHTTP3Capable = true },
      changed { $0.attribution = .user }, changed { $0.requiresDNSSECValidation = true }, changed { $0.allowsPersistentDNS = true },
      changed { $0.cookiePartitionIdentifier = "p" }, changed { $0.httpMethod = "PUT" },
      changed { $0.setValue("1", forHTTPHeaderField: "X-A") }, changed { $0.httpBody = Data([1]) },
      changed { $0.httpBodyStream = InputStream(data: Data([1])) }, changed { $0.httpBodyStream = InputStream(data: Data([1])) },
      changed { $0.httpShouldHandleCookies = false }, changed { $0.httpShouldUsePipelining = true },
    ]
    for variant in variants { #expect(variant != base) }
    #expect(Set(variants).count == variants.count)
  }

  @Test func orderAndLetterCaseOfHeaderNamesDontCount() {
    let first = changed {
      $0.setValue("1", forHTTPHeaderField: "X-A")
      $0.setValue("2", forHTTPHeaderField: "X-B")
    }
    let second = changed {
      $0.setValue("2", forHTTPHeaderField: "x-b")
      $0.setValue("1", forHTTPHeaderField: "x-a")
    }
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
  }

  @Test func streamsCompareByIdentity() {
    let stream = InputStream(data: Data())
    let first = changed { $0.httpBodyStream = stream }
    let second = changed { $0.httpBodyStream = stream }
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
  }
}
