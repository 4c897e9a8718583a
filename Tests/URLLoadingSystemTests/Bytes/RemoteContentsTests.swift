import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct RemoteContentsTests {
  @Test func onlyStatusesOfTheResourceItselfCarryContents() {
    for status in [101, 200, 204, 304, 399, 401, 407] { #expect(RemoteContents.carriesContents(status)) }
    for status in [100, 199, 400, 403, 404, 406, 408, 500, 599] { #expect(!RemoteContents.carriesContents(status)) }
  }

  @Test func failedLoadIsACocoaErrorWithTheURLErrorUnderneath() throws {
    let url = try #require(URL(string: "nosuchscheme://host/path"))
    let error = #expect(throws: CocoaError.self) { try Data(contentsOf: url) }
    #expect(error?.code == .fileReadUnknown)
    #expect(error?.url == url)
    #expect((error?.underlying as? URLError)?.code == .unsupportedURL)
  }

  @Test func dataURLIsReadByFoundationsInitialisers() throws {
    let url = try #require(URL(string: "data:text/plain;charset=utf-8,caf%C3%A9"))
    #expect(try Data(contentsOf: url) == Data("café".utf8))
    #expect(try String(contentsOf: url, encoding: .utf8) == "café")
    #expect(try RemoteContents.load(url).textEncoding == "utf-8")
  }

  @Test func fileURLIsStillReadByFoundation() throws {
    let missing = URL(fileURLWithPath: "/nonexistent/contents")
    let error = #expect(throws: CocoaError.self) { try Data(contentsOf: missing) }
    #expect(error?.code == .fileReadNoSuchFile)
  }
}
