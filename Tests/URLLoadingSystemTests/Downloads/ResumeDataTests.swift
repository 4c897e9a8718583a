import Foundation
import LoadingEngine
import ProtocolRules
import Testing

@testable import URLLoadingSystem

struct ResumeDataTests {
  private let folder = URL(filePath: "/tmp/somewhere", directoryHint: .isDirectory)

  private func sample() throws -> ResumeData {
    var request = URLRequest(url: try #require(URL(string: "https://a.example/f")))
    request.setValue("b", forHTTPHeaderField: "X-A")
    let point = ResumePoint(
      file: folder.appending(path: "CFNetworkDownload_1.tmp"), received: 10, total: 20,
      validator: try #require(ResumeValidator(tag: "\"a\"")))
    return ResumeData(point, request: request)
  }

  private func list(_ change: (inout [String: Any]) -> Void) throws -> Data {
    let data = try #require(try sample().data)
    var list = try #require(try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any])
    change(&list)
    return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  @Test func comesBackAsItWent() throws {
    let data = try #require(try sample().data)
    let read = try #require(ResumeData(data))
    #expect(read.file == "CFNetworkDownload_1.tmp")
    #expect(read.received == 10)
    #expect(read.total == 20)
    #expect(read.validator.ifRange == "\"a\"")
    #expect(try read.request == sample().request)
    #expect(read.point(in: folder).file.path == "/tmp/somewhere/CFNetworkDownload_1.tmp")
  }

  /// Foundation's reader of property lists ends the process at a set.
  @Test func whatFoundationTrapsOnIsRefused() {
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 15) + [14]
    let set = Data(Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61, 0xC0] + [8, 11, 13] + trailer)
    #expect(ResumeData(set) == nil)
    #expect(ResumeData.fileName(in: set) == nil)
    #expect(CachedUserInfo.dictionary(set) == nil)
  }

  @Test func dateSurvives() throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let data = try list {
      $0["NSURLSessionResumeEntityTag"] = nil
      $0["NSURLSessionResumeServerDownloadDate"] = date
    }
    #expect(ResumeData(data)?.validator.ifRange == date)
  }

  @Test(
    arguments: [
      "../../etc/passwd", "/etc/passwd", "CFNetworkDownload_/../../x", "", ".", "notes.txt", "CFNetworkDownload_\0",
      "CFNetworkDownload_" + String(repeating: "a", count: 100),
    ])
  func foreignFileNamesAreRefused(name: String) throws {
    #expect(ResumeData(try list { $0["NSURLSessionResumeInfoTempFileName"] = name }) == nil)
  }

  @Test func eachNeededKeyIsNeeded() throws {
    for key in [
      "NSURLSessionResumeInfoVersion", "NSURLSessionResumeInfoTempFileName", "NSURLSessionResumeBytesReceived",
      "NSURLSessionResumeOriginalRequest", "NSURLSessionResumeEntityTag",
    ] {
      #expect(ResumeData(try list { $0[key] = nil }) == nil, "without \(key)")
      #expect(ResumeData(try list { $0[key] = ["x"] }) == nil, "with another type in \(key)")
      #expect(ResumeData(try list { $0[key] = Data([0xFF, 0x00]) }) == nil, "with bytes in \(key)")
    }
    #expect(ResumeData(try list { $0["NSURLSessionResumeBytesReceived"] = -1 }) == nil)
    #expect(ResumeData(try list { $0["NSURLSessionResumeEntityTag"] = "\"a\"\r\nX: y" }) == nil)
    #expect(ResumeData(try list { $0["NSURLSessionResumeBytesExpected"] = 5 })?.total == nil)
  }

  @Test func truncatedDataIsRefused() throws {
    let data = try #require(try sample().data)
    for count in stride(from: 0, to: data.count, by: 7) { #expect(ResumeData(data.prefix(count)) == nil) }
  }
}
