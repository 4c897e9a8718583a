import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules
import Testing

@testable import URLLoadingSystem

/// Each property of a request, a configuration and a transaction, found by reflection, comes back from where it is sent.
@Suite struct RequestTripTests {
  typealias Change = @Sendable (inout LoadRequest.Fields) -> Void

  /// A new property needs a line here, and one in `RequestTable`.
  private static let changes: [String: Change] = [
    "url": { $0.url = URL(string: "https://example.org/other") }, "cachePolicy": { $0.cachePolicy = 1 },
    "timeoutInterval": { $0.timeoutInterval = 7 }, "mainDocumentURL": { $0.mainDocumentURL = URL(string: "https://example.org/main") },
    "networkServiceType": { $0.networkServiceType = 3 }, "allowsCellularAccess": { $0.allowsCellularAccess = false },
    "allowsExpensiveNetworkAccess": { $0.allowsExpensiveNetworkAccess = false },
    "allowsConstrainedNetworkAccess": { $0.allowsConstrainedNetworkAccess = false },
    "allowsUltraConstrainedNetworkAccess": { $0.allowsUltraConstrainedNetworkAccess = true },
    "assumesHTTP3Capable": { $0.assumesHTTP3Capable = true }, "attribution": { $0.attribution = 1 },
    "requiresDNSSECValidation": { $0.requiresDNSSECValidation = true }, "allowsPersistentDNS": { $0.allowsPersistentDNS = true },
    "cookiePartitionIdentifier": { $0.cookiePartitionIdentifier = "partition" }, "method": { $0.method = "PUT" },
    "headers": { $0.headers.add("X-Name", "value") }, "shouldHandleCookies": { $0.shouldHandleCookies = false },
    "shouldUsePipelining": { $0.shouldUsePipelining = true },
  ]

  /// What doesn't travel, or as a part of another.
  private static let exceptions: Set<String> = [
    "_relativeURL", "relativeURL", "ownAccess", "body", "shownBody", "properties", "retryPolicy", "bodyLimits", "attachedCookies",
  ]

  private static func labels(_ value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }

  private static func fields(_ change: Change = { _ in }) -> LoadRequest.Fields {
    var request = LoadRequest(url: URL(string: "https://example.org/"))
    request.mutate { fields in
      fields.body = .file(URL(filePath: "/tmp/source"))
      change(&fields)
    }
    return request.fields
  }

  private static func shown(_ fields: LoadRequest.Fields, _ label: String) -> String {
    Mirror(reflecting: fields).children.first { $0.label == label }.map { "\($0.value)" } ?? "absent"
  }

  @Test func everyPropertyIsTried() {
    let labels = RequestTripTests.labels(RequestTripTests.fields())
    #expect(labels.subtracting(RequestTripTests.exceptions) == Set(RequestTripTests.changes.keys))
  }

  @Test(arguments: changes.keys.sorted()) func everyPropertyComesBack(_ label: String) throws {
    let change = try #require(RequestTripTests.changes[label])
    let sent = RequestTripTests.fields(change)
    #expect(!sent.asksTheSame(as: RequestTripTests.fields()))
    let resource = UploadResource(location: try #require(sent.url), version: UploadDraftVersion(3))
    let message = try #require(BackgroundCoding.data(URLRequest(load: LoadRequest(sent))))
    let upload = try #require(UploadResumeData(LoadRequest(sent), resource, length: 7)?.encoded)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: NSURLRequest(load: LoadRequest(sent)), requiringSecureCoding: true)
    let trips: [String: LoadRequest.Fields?] = [
      "message": BackgroundCoding.request(message)?.load.fields, "resume data": UploadResumeData(upload)?.request.fields,
      "archive": try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURLRequest.self, from: archive)?.load.fields,
    ]
    for (trip, got) in trips {
      let got = try #require(got, "\(trip)")
      #expect(RequestTripTests.shown(got, label) == RequestTripTests.shown(sent, label), "\(trip)")
      #expect(RequestTripTests.shown(got, "ownAccess") == RequestTripTests.shown(sent, "ownAccess"), "\(trip)")
    }
  }

  @Test func attachedCookiesGoToTheDaemonAndNoFurther() throws {
    let cookies = [AttachedCookie("sid=1", stored: Date(timeIntervalSince1970: 5)), AttachedCookie("a=", stored: .distantPast)]
    let sent = RequestTripTests.fields { $0.attachedCookies = cookies }
    let message = try #require(BackgroundCoding.data(URLRequest(load: LoadRequest(sent))))
    let got = try #require(BackgroundCoding.request(message))
    #expect(got.load.attachedCookies == cookies && got.value(forHTTPHeaderField: "Cookie") == nil)
    #expect(got.load.withoutAttachedCookies.attachedCookies.isEmpty)
  }

  /// What a version that kept them there has written is ignored as well.
  @Test func resumeDataHasNoAttachedCookies() throws {
    let sent = LoadRequest(RequestTripTests.fields { $0.attachedCookies = [AttachedCookie("sid=1", stored: .distantPast)] })
    let resource = UploadResource(location: try #require(sent.url), version: UploadDraftVersion(3))
    let upload = try #require(UploadResumeData(sent, resource, length: 7))
    #expect(upload.request.attachedCookies.isEmpty)
    let encoded = try #require(upload.encoded)
    #expect(encoded.range(of: Data("sid=1".utf8)) == nil)
    let point = ResumePoint(
      file: URL(filePath: "/tmp/CFNetworkDownload_1.tmp"), received: 1, total: 2, validator: try #require(ResumeValidator(tag: "\"a\"")))
    let download = try #require(ResumeData(point, request: URLRequest(load: sent)).data)
    #expect(download.range(of: Data("sid=1".utf8)) == nil)
    var list = try #require(try PropertyListSerialization.propertyList(from: download, options: [], format: nil) as? [String: Any])
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    list["NSURLSessionResumeOriginalRequest"] = try encoder.encode(RequestRecord(sent))
    let earlier = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    #expect(try #require(ResumeData(earlier)).request.load.attachedCookies.isEmpty)
  }

  @Test(arguments: [("https://example.org/f", ["sid=2"]), ("https://other.example.org/f", [])])
  func aTaskThatResumesHasTheCookiesOfItsOrder(url: String, expected: [String]) throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let point = ResumePoint(
      file: URL(filePath: "/tmp/CFNetworkDownload_1.tmp"), received: 1, total: 2, validator: try #require(ResumeValidator(tag: "\"a\"")))
    let earlier = LoadRequest(RequestTripTests.fields { $0.attachedCookies = [AttachedCookie("sid=1", stored: .distantPast)] })
    let task = session.downloadTask(withResumeData: try #require(ResumeData(point, request: URLRequest(load: earlier)).data))
    #expect(task.currentRequest?.load.url == earlier.url && task.currentRequest?.load.attachedCookies == [])
    var order = LoadRequest(url: URL(string: url))
    order.mutate { $0.attachedCookies = [AttachedCookie("sid=2", stored: .distantPast)] }
    task.attachCookies(of: URLRequest(load: order))
    #expect(task.currentRequest?.load.attachedCookies.map(\.pair) == expected)
    #expect(task.originalRequest?.load.attachedCookies == [])
  }

  /// An earlier version wrote the field alone.
  @Test func attachedCookiesWithoutTimesAreTheOldest() throws {
    let record = Data(#"{"method":"GET","fields":[],"timeout":60,"attachedCookies":"sid=1; a=b=c"}"#.utf8)
    let cookies = try JSONDecoder().decode(RequestRecord.self, from: record).request(.none).attachedCookies
    #expect(cookies == ["sid=1", "a=b=c"].map { AttachedCookie($0, stored: .distantPast) })
  }

  @Test func whatARequestLeavesToItsSessionStaysLeft() throws {
    let sent = RequestTripTests.fields { $0.allowsExpensiveNetworkAccess = true }
    let message = try #require(BackgroundCoding.data(URLRequest(load: LoadRequest(sent))))
    #expect(BackgroundCoding.request(message)?.load.fields.ownAccess == [.expensive])
  }
}
