import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct UploadResourceTests {
  private let url = URL(string: "https://example.com/upload")

  private func head(_ status: Int, _ fields: [HeaderFields.Entry]) -> ResponseHead {
    ResponseHead(status: status, reason: "", headers: HeaderFields(fields))
  }

  @Test func placeOfAnUploadComesWith104() throws {
    let url = try #require(url)
    let named = head(104, [("Location", "/resume/1"), ("Upload-Draft-Interop-Version", "6")])
    #expect(UploadResource(named, url: url)?.location.absoluteString == "https://example.com/resume/1")
    #expect(UploadResource(named, url: url)?.version.number == 6)
    #expect(UploadResource(head(103, [("Location", "/resume/1")]), url: url) == nil)
    #expect(UploadResource(head(104, []), url: url) == nil)
  }

  @Test(arguments: ["https://other.example/1", "http://example.com/1", "https://example.com:444/1"])
  func placeAtAnotherOriginIsNotUsed(_ location: String) throws {
    #expect(UploadResource(head(104, [("Location", location)]), url: try #require(url)) == nil)
  }

  @Test(
    arguments: [
      ("https://a.test/1", "https://a.test/up", "https://a.test/1"), ("http://a.test/1", "https://a.test/up", "https://a.test/1"),
      ("http://a.test:80/1", "https://a.test/up", "https://a.test:443/1"), ("https://a.test/1", "http://a.test/up", "https://a.test/1"),
      ("http://a.test:8080/1", "https://a.test:8080/up", "https://a.test:8080/1"), ("http://a.test:8080/1", "https://a.test/up", nil),
      ("https://b.test/1", "https://a.test/up", nil), ("http://b.test/1", "https://a.test/up", nil),
      ("https://a.test:444/1", "http://a.test/up", nil),
    ] as [(String, String, String?)])
  func placeFollowsAnUpgradeToTLS(_ location: String, _ request: String, _ expected: String?) throws {
    let place = UploadResource(location: try #require(URL(string: location)), version: .announced, appendLimit: 3)
    let used = place.beside(try #require(URL(string: request)))
    #expect(used?.location.absoluteString == expected)
    #expect(used == nil || used?.appendLimit == 3)
  }

  @Test(arguments: [(3, "Upload-Incomplete", "?0", String?.none), (6, "Upload-Complete", "?1", "application/partial-upload")])
  func appendSpeaksTheServersVersion(_ version: Int, _ field: String, _ value: String, _ type: String?) throws {
    let place = UploadResource(location: try #require(url), version: UploadDraftVersion(version))
    var request = LoadRequest(url: url)
    request.mutate {
      $0.method = "POST"
      $0.body = .data(Data("content".utf8))
    }
    let append = place.appendRequest(for: request, at: 3, .data(Data("tent".utf8)))
    #expect(append.method == "PATCH")
    #expect(append.headers.first("Upload-Offset") == "3")
    #expect(append.headers.first(field) == value)
    #expect(append.headers.first("Content-Type") == type)
    #expect(append.headers.first("Upload-Draft-Interop-Version") == "\(version)")
    let asked = place.offsetRequest(for: UploadResource.creation(request))
    #expect(asked.method == "HEAD")
    #expect(asked.headers.first("Upload-Incomplete") == nil)
  }

  @Test(arguments: [3, 4, 5, 6]) func partOfAnUploadIsMarkedAsOne(_ version: Int) throws {
    let place = UploadResource(location: try #require(url), version: UploadDraftVersion(version))
    let part = place.appendRequest(for: LoadRequest(url: url), at: 0, .data(Data("con".utf8)), isLast: false)
    #expect(part.headers.first("Upload-Complete") == (version > 3 ? "?0" : nil))
    #expect(part.headers.first("Upload-Incomplete") == (version > 3 ? nil : "?1"))
  }

  @Test(
    arguments: [
      ("max-append-size=5", 5), ("max-size=9, max-append-size=5;a=1 , expires=3", 5), ("max-append-size=5, max-append-size=7", 7),
      ("max-append-size=0", nil), ("max-append-size=-1", nil), ("max-append-size=5.0", nil), ("max-append-size", nil), ("", nil),
      ("max-append-size=99999999999999999999", nil),
    ] as [(String, Int64?)])
  func appendLimitIsRead(_ field: String, _ limit: Int64?) throws {
    let place = head(104, [("Location", "/1"), ("Upload-Limit", field)])
    #expect(UploadResource(place, url: try #require(url))?.appendLimit == limit)
    let known = UploadResource(location: try #require(url), version: .announced, appendLimit: 3)
    #expect(known.limited(by: place).appendLimit == limit ?? 3)
  }

  @Test func successThatIsNotCompleteNamesAPlaceToo() throws {
    let url = try #require(url)
    #expect(UploadResource(head(201, [("Location", "/1"), ("Upload-Complete", "?0")]), url: url) != nil)
    #expect(UploadResource(head(201, [("Location", "/1"), ("Upload-Complete", "?1")]), url: url) == nil)
    #expect(UploadResource(head(201, [("Location", "/1")]), url: url) == nil)
    #expect(UploadResource(head(404, [("Location", "/1"), ("Upload-Complete", "?0")]), url: url) == nil)
    #expect(UploadResource(head(104, [("Location", "/1")]), url: url, UploadDraftVersion(6))?.version.number == 6)
  }

  @Test func problemsAreKnownByTheirTypes() {
    let registry = "https://iana.org/assignments/http-problem-types#"
    func problem(_ status: Int, _ type: String) -> UploadProblem? {
      UploadProblem(head(status, [("Content-Type", "application/problem+json")]), description: Data("{\"type\":\"\(type)\"}".utf8))
    }
    #expect(problem(400, registry + "completed-upload") == .completed)
    #expect(problem(400, registry + "mismatching-upload-offset") == .mismatchingOffset)
    #expect(problem(400, registry + "inconsistent-upload-length") == nil)
    #expect(problem(400, "completed-upload") == nil)
    #expect(UploadProblem(head(409, []), description: Data()) == .mismatchingOffset)
    #expect(UploadProblem(head(400, []), description: Data("[1]".utf8)) == nil)
    #expect(UploadProblem.isDescribed(head(400, [("Content-Type", "Application/Problem+JSON ; a=b")])))
    #expect(!UploadProblem.isDescribed(head(200, [("Content-Type", "application/problem+json")])))
    #expect(!UploadProblem.isDescribed(head(400, [("Content-Type", "application/json")])))
  }

  @Test func standingIsWhatTheServerSays() {
    #expect(UploadStanding(head(204, [("Upload-Offset", "5"), ("Upload-Incomplete", "?1")]), length: 9) == .holds(5))
    #expect(UploadStanding(head(204, [("Upload-Offset", "5"), ("Upload-Complete", "?0")]), length: 9) == .holds(5))
    #expect(UploadStanding(head(204, [("Upload-Offset", "9"), ("Upload-Complete", "?1")]), length: 9) == .complete)
    #expect(UploadStanding(head(204, [("Upload-Offset", "10")]), length: 9) == .gone)
    #expect(UploadStanding(head(204, []), length: 9) == .gone)
    #expect(UploadStanding(head(404, []), length: 9) == .gone)
    #expect(UploadStanding(head(503, []), length: 9) == .unknown)
  }

  @Test(
    arguments: [
      (307, "/uploads/2", "http://a.test/uploads/2"), (308, "2?x", "http://a.test/uploads/2?x"),
      (301, "http://a.test:80/3", "http://a.test:80/3"), (302, "/4", "http://a.test/4"), (303, "/5", nil), (304, "/6", nil),
      (307, "http://b.test/7", nil), (308, "https://a.test/8", nil), (307, nil, nil),
    ] as [(Int, String?, String?)])
  func resourceMovesWithinItsOriginAlone(_ status: Int, _ location: String?, _ expected: String?) throws {
    let place = try #require(URL(string: "http://a.test/uploads/1"))
    let resource = UploadResource(location: place, version: UploadDraftVersion(6), appendLimit: 9)
    var fields: [HeaderFields.Entry] = []
    if let location { fields.append(("Location", location)) }
    let moved = resource.moved(by: head(status, fields))
    #expect(moved?.location.absoluteString == expected)
    #expect(moved == nil || moved?.version == resource.version && moved?.appendLimit == 9)
  }

  /// Otherwise an upload of which the server lacks bytes would succeed.
  @Test func standingThatContradictsWhatWasSentIsNone() {
    let holds: [HeaderFields.Entry] = [("Upload-Incomplete", "?1")]
    let complete: [HeaderFields.Entry] = [("Upload-Incomplete", "?0")]
    func standing(_ offset: Int?, _ fields: [HeaderFields.Entry], length: Int64?, sent: Int64?) -> UploadStanding {
      var fields = fields
      if let offset { fields.append(("Upload-Offset", String(offset))) }
      return UploadStanding(head(204, fields), length: length, sent: sent)
    }
    #expect(standing(8, complete, length: 9, sent: 9) == .gone)
    #expect(standing(10, complete, length: 9, sent: nil) == .gone)
    #expect(standing(9, complete, length: 9, sent: 7) == .gone)
    #expect(standing(9, complete, length: 9, sent: 9) == .complete)
    #expect(standing(nil, complete, length: 9, sent: 9) == .complete)
    #expect(standing(5, complete, length: nil, sent: nil) == .complete)
    #expect(standing(5, complete, length: nil, sent: 5) == .gone)
    #expect(standing(7, holds, length: 9, sent: 6) == .gone)
    #expect(standing(6, holds, length: 9, sent: 6) == .holds(6))
    #expect(standing(6, holds, length: nil, sent: nil) == .holds(6))
  }

  @Test func resumeDataKeepsTheRequest() throws {
    let url = try #require(url)
    let place = UploadResource(location: url.appendingPathComponent("1"), version: UploadDraftVersion(3))
    var request = LoadRequest(url: url)
    request.mutate {
      $0.method = "PUT"
      $0.headers.add("X-Name", "value")
      $0.body = .file(URL(fileURLWithPath: "/tmp/source"))
    }
    let encoded = try #require(UploadResumeData(request, place, length: 7)?.encoded)
    let read = try #require(UploadResumeData(encoded))
    #expect(read.resource == place)
    #expect(read.length == 7)
    #expect(read.stamp == nil)
    #expect(UploadResumeData(request, place, length: 7, stamp: "s").flatMap(\.encoded).flatMap(UploadResumeData.init)?.stamp == "s")
    #expect(read.request.method == "PUT")
    #expect(read.request.url == url)
    #expect(read.request.headers.first("X-Name") == "value")
    let elsewhere = UploadResource(location: try #require(URL(string: "https://elsewhere.test/1")), version: UploadDraftVersion(3))
    #expect(UploadResumeData(request, elsewhere, length: 7) == nil)
    #expect(UploadResumeData(Data("nonsense".utf8)) == nil)
    let list = Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>version</key><integer>".utf8)
    #expect(UploadResumeData(list + Data([0xFD, 0xFD, 0x31]) + Data("</integer></dict></plist>".utf8)) == nil)
    #expect(UploadResumeData(encoded.dropLast()) == nil)
  }
}
