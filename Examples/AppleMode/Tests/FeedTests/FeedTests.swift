import XCTest

@testable import Feed

#if canImport(Darwin)
  import Darwin
#endif

final class FeedTests: XCTestCase {
  func testCounterCounts() {
    let counter = LoadCounter()
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in counter.increment() }
    XCTAssertEqual(counter.value, 1000)
  }

  func testSessionIsThere() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    let (data, _) = try await URLSession(configuration: configuration).data(from: URL(string: "data:,hello")!)
    XCTAssertEqual(String(decoding: data, as: UTF8.self), "hello")
  }

  func testProtectedValueIsChangedByOneThreadAtATime() {
    let value = Protected(0)
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in value.write { $0 += 1 } }
    XCTAssertEqual(value.read { $0 }, 1000)
  }

  func testWorkItemIsWaitedFor() throws {
    let loader = RequestQueue()
    XCTAssertEqual(loader.perform(3), [0, 1, 2])
    XCTAssertThrowsError(try loader.fail())
  }

  func testRawBytesAreWrittenAndRead() {
    let written = RawStreams.written(Data("abc".utf8))
    XCTAssertEqual(written, Data("abc".utf8))
    XCTAssertEqual(RawStreams.read(Data("abcd".utf8)), Data("abcd".utf8))
  }

  func testUserAgentIsMadeOfTheBundlesKeys() {
    XCTAssertTrue(UserAgent.text().hasSuffix("; Linux)"))
    XCTAssertEqual(kCFBundleVersionKey as String, "CFBundleVersion")
    XCTAssertEqual(kCFBundleIdentifierKey as String, "CFBundleIdentifier")
  }
}
