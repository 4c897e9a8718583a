import BackgroundTransfers
import Foundation
import Testing

@testable import URLLoadingSystem

/// The description of a file that a background task uploads.
@Suite struct SourceFileTests {
  /// The nanoseconds of such a date don't fit into 64 bits.
  @Test func fileOfAFarDateIsDescribed() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("far-\(UUID().uuidString)")
    try Data("content".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // The year 2300; a file system that can't store it stores the latest date that it can.
    let date = timespec(tv_sec: 10_413_792_000, tv_nsec: 999_999_999)
    #expect(utimensat(AT_FDCWD, file.path, [date, date], 0) == 0)
    #expect(try SourceFile(file).size == 7)
  }
}
