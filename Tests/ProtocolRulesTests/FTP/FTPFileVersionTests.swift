import Foundation
import LoadingModel
import ProtocolRules
import Testing

@Suite struct FTPFileVersionTests {
  private func version(size: String? = "100", time: String? = "19941106084937.25") -> FTPFileVersion {
    FTPFileVersion(
      size: FTPReply(code: size == nil ? 500 : 213, lines: [size ?? "no"]),
      time: FTPReply(code: time == nil ? 550 : 213, lines: [time ?? "no"]))
  }

  @Test func partIsSentOnlyOfTheSameFile() {
    func decide(_ range: String, _ condition: String?, _ version: FTPFileVersion) -> ByteRangeDecision {
      var headers = HeaderFields()
      headers.set("Range", range)
      if let condition { headers.set("If-Range", condition) }
      return version.part(headers)
    }
    #expect(decide("bytes=40-", nil, version()) == .part(40..<100))
    #expect(decide("bytes=40-", "Sun, 06 Nov 1994 08:49:37 GMT", version()) == .part(40..<100))
    #expect(decide("bytes=40-", "Sun, 06 Nov 1994 08:49:38 GMT", version()) == .whole)
    #expect(decide("bytes=40-", "Sun, 06 Nov 1994 08:49:37 GMT", version(time: nil)) == .whole)
    #expect(decide("bytes=40-", "\"19941106084937.25-100\"", version()) == .part(40..<100))
    #expect(decide("bytes=40-", "\"19941106084937-100\"", version()) == .whole)
    #expect(decide("bytes=40-", "\"19941106084937.25-100\"", version(size: "101")) == .whole)
    #expect(decide("bytes=100-", nil, version()) == .unsatisfiable)
    #expect(decide("bytes=-5", nil, version(size: nil)) == .whole)
    #expect(decide("bytes=5-", nil, version(size: nil)) == .part(5..<Int64.max))
  }

  @Test func versionIsToldApartBySizeAndTimeTogether() {
    #expect(version().tag == "\"19941106084937.25-100\"")
    #expect(version(size: nil).tag == nil)
    #expect(version(time: nil).tag == nil)
    #expect(version(time: "yesterday").tag == nil)
    #expect(FTPFileVersion().tag == nil)
    #expect(version(time: "19941106084937." + String(repeating: "1", count: 8000)).tag.map { $0.utf8.count < 60 } == true)
  }

  @Test func fileThatHasJustChangedMayChangeUnseen() {
    let changed = Date(timeIntervalSince1970: 784_111_777)
    #expect(version().isFresh(changed.addingTimeInterval(1)))
    #expect(version().isFresh(changed.addingTimeInterval(-100)))
    #expect(!version().isFresh(changed.addingTimeInterval(2)))
    #expect(version(time: nil).isFresh(changed))
  }
}
