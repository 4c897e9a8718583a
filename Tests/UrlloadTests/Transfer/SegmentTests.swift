import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--segments`.
@Suite(.timeLimit(.minutes(10))) struct SegmentTests {
  private static let total = 2_000_000

  private func record(in directory: URL) throws -> PartRecord {
    try #require(PartRecord.load(directory.appending(path: "out.part.json").path))
  }

  @Test func segmentsCoverTheWhole() {
    for (total, present, count) in [(1, 0, 4), (65536 * 3, 0, 8), (1_000_003, 0, 7), (1_000_003, 999_999, 7), (5000, 5000, 3)]
      as [(Int64, Int64, Int)]
    {
      let segments = SegmentPlan.segments(total: total, present: present, count: count)
      #expect(SegmentPlan.isSound(segments, total: total, length: present))
      #expect(segments.count <= count + 1)
    }
    #expect(!SegmentPlan.isSound([PartRecord.Segment(begin: 0, end: 5, done: 6)], total: 5, length: 10))
    #expect(!SegmentPlan.isSound([PartRecord.Segment(begin: 1, end: 5)], total: 5, length: 10))
  }

  @Test func fileIsLoadedInRangesAndAssembled() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let outcome = try await tool.run("--segments", "4", "-o", "out", server.url("/range/\(SegmentTests.total)").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(SegmentTests.total))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out"])
        // The question, and one request for each segment.
        #expect(server.requestCount == 5)
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"range-\(SegmentTests.total)\"" })
      }
    }
  }

  /// With -C - a file is gone on with as far as it is a part; without, it is replaced.
  @Test func fileThatIsNoPartIsKept() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let (file, other) = (directory.appending(path: "out"), Data(repeating: UInt8(ascii: "#"), count: 90_000))
        try other.write(to: file)
        let arguments = ["--segments", "2", "-o", "out", server.url("/range/\(SegmentTests.total)").absoluteString]
        #expect(try await tool.run(list: ["-C", "-"] + arguments).status == 33)
        #expect(try Data(contentsOf: file) == other)
        try Data(ResumeTests.pattern(SegmentTests.total).prefix(90_000)).write(to: file)
        #expect(try await tool.run(list: ["-C", "-"] + arguments).status == 0)
        #expect(try Data(contentsOf: file) == ResumeTests.pattern(SegmentTests.total))
        try other.write(to: file)
        #expect(try await tool.run(list: arguments).status == 0)
        #expect(try Data(contentsOf: file) == ResumeTests.pattern(SegmentTests.total))
      }
    }
  }

  @Test func variablesAreThoseOfAllSegments() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, _ in
        let format = "%{http_code} %{size_download} %{filename_effective} %{time_total}"
        let outcome = try await tool.run(
          "--segments", "4", "-o", "out", "-w", format, server.url("/range/\(SegmentTests.total)").absoluteString)
        #expect(outcome.text.hasPrefix("206 \(SegmentTests.total) out "), "\(outcome.text)")
        #expect(!outcome.text.hasSuffix(" 0.000000"))
      }
    }
  }

  @Test func serverWithoutRangesIsAskedForTheWhole() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let outcome = try await tool.run("--segments", "4", "-o", "out", server.url("/bytes/300000").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(300_000))
      }
    }
  }

  /// Without -C nothing is taken for a part of what comes.
  @Test func serverWithoutRangesReplacesTheFile() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let file = directory.appending(path: "out")
        try Data("another".utf8).write(to: file)
        let outcome = try await tool.run("--segments", "4", "-o", "out", server.url("/bytes/300000").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: file) == ResumeTests.pattern(300_000))
      }
    }
  }

  @Test func fileThatIsTooLongIsNotBegun() async throws {
    try await withStandardServer { server async throws in
      try await Tool.withDirectory { tool, directory async throws in
        let outcome = try await tool.run(
          "--segments", "4", "--max-filesize", "500k", "-o", "out", server.url("/range/\(SegmentTests.total)").absoluteString)
        #expect(outcome.status == 63)
        #expect(outcome.errors.contains("--max-filesize"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        #expect(server.requestCount == 1)
      }
    }
  }

  @Test func brokenSegmentIsTriedAgain() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let left = Locked(3)
        let total = SegmentTests.total
        server.route("/cut") { request in
          var reply = SegmentTests.part(request, total)
          if request.headers["Range"] != "bytes=0-0", left.value > 0 {
            left.value -= 1
            reply.faults = [.disconnectAfterBodyBytes(100_000)]
          }
          return reply
        }
        let outcome = try await tool.run(
          "--segments", "3", "--retry", "5", "--retry-delay", "0", "-o", "out", server.url("/cut").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(total))
        #expect(server.requestCount == 7)
      }
    }
  }

  @Test func killedTransferGoesOnInEachSegment() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let total = SegmentTests.total
        for round in 0..<5 {
          let gate = Gate()
          server.route("/big") { request in
            var reply = SegmentTests.part(request, total)
            if request.headers["Range"] != "bytes=0-0" { reply.faults = [.stallAfter(bodyBytes: 30_000 * (round + 1), gate: gate)] }
            return reply
          }
          let before = round == 0 ? 0 : try record(in: directory).segments?.reduce(0) { $0 + $1.done } ?? 0
          let outcome = try await tool.run("--segments", "4", "-o", "out", server.url("/big").absoluteString) { process in
            try await gate.reached(3)
            process.kill()
          }
          #expect(outcome.status == SIGKILL)
          let after = try record(in: directory)
          let done = after.segments ?? []
          #expect(done.reduce(0) { $0 + $1.done } >= before)
          // What the journal says is there.
          let bytes = try Data(contentsOf: directory.appending(path: "out.part"))
          for segment in done {
            let range = Int(segment.begin)..<Int(segment.begin + segment.done)
            #expect(bytes[range] == ResumeTests.pattern(total)[range])
          }
        }
        server.route("/big") { SegmentTests.part($0, total) }
        // What a killed process has asked for may still come.
        try await server.waitForConnections(open: 0)
        let first = server.requestCount
        let there = try record(in: directory).segments?.reduce(0) { $0 + $1.done } ?? 0
        let outcome = try await tool.run("-C", "-", "-o", "out", server.url("/big").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(total))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out"])
        let asked = server.requests.dropFirst(first + 1).map { SegmentTests.range($0, total).count }.reduce(0, +)
        #expect(asked == total - Int(there))
      }
    }
  }

  @Test func changedResourceIsLoadedAnew() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let url = server.url("/range/\(SegmentTests.total)").absoluteString
        try Data(repeating: 1, count: 500_000).write(to: directory.appending(path: "out.part"))
        let old = PartRecord(
          url: url, validator: "\"old\"", total: 500_000, segments: [PartRecord.Segment(begin: 0, end: 500_000, done: 400_000)])
        try old.save(directory.appending(path: "out.part.json").path)
        let outcome = try await tool.run("--segments", "2", "-o", "out", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(SegmentTests.total))
      }
    }
  }

  private static func range(_ request: RecordedRequest, _ total: Int) -> Range<Int> {
    let ends = (request.headers["Range"] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
    return ends.count == 2 ? ends[0]..<ends[1] + 1 : 0..<total
  }

  private static func part(_ request: RecordedRequest, _ total: Int) -> Reply {
    let range = range(request, total)
    return Reply(
      206, headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"],
      body: .pattern(from: range.lowerBound, count: range.count))
  }
}
