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
}
