import Crypto
import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct ChecksumTests {
  private func hex(_ digest: some Sequence<UInt8>) -> String { digest.map { String(format: "%02x", $0) }.joined() }

  @Test func algorithmsAreTheNamedOnes() {
    let data = ResumeTests.pattern(100_001)
    let expected: [Checksum.Algorithm: String] = [
      .sha256: hex(SHA256.hash(data: data)), .sha512: hex(SHA512.hash(data: data)), .sha384: hex(SHA384.hash(data: data)),
      .sha1: hex(Insecure.SHA1.hash(data: data)), .md5: hex(Insecure.MD5.hash(data: data)),
    ]
    for algorithm in Checksum.Algorithm.allCases {
      var digest = StreamedDigest(algorithm)
      digest.update(data.prefix(777))
      digest.update(data.dropFirst(777))
      #expect(digest.text == expected[algorithm])
      #expect(Checksum("\(algorithm.rawValue.uppercased()):\(digest.text.uppercased())")?.digest == digest.text)
    }
  }

  @Test func unmodifiedResourceHasNoDigest() async throws {
    try await withStandardServer { server in
      server.route("/same", reply: Reply(304))
      try await Tool.withDirectory { tool, directory in
        try Data("old".utf8).write(to: directory.appending(path: "f"))
        let digest = "md5:" + String(repeating: "0", count: 32)
        let outcome = try await tool.run("--checksum", digest, "-o", "f", server.url("/same").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["f"])
        #expect(try String(contentsOf: directory.appending(path: "f"), encoding: .utf8) == "old")
      }
    }
  }

  @Test(arguments: ["", "sha256", "sha256:", "sha256:12", "crc32:12345678", "md5:" + String(repeating: "g", count: 32)])
  func whatIsNoDigestIsWrongUsage(text: String) async throws {
    #expect(Checksum(text) == nil)
    #expect(try await Tool().run("--checksum", text, "http://127.0.0.1:1/").status == 64)
  }

  @Test func matchingBodyIsSaved() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let url = server.url("/range/100000").absoluteString
        let sum = "sha256:" + hex(SHA256.hash(data: ResumeTests.pattern(100_000)))
        #expect(try await tool.run("--checksum", sum, url).status == 0)
        #expect(try await tool.run("--checksum", sum, "-o", "out", url).status == 0)
        // With a part that is there already, and with one that is all of it.
        try ResumeTests.pattern(60_000).write(to: directory.appending(path: "out"))
        #expect(try await tool.run("--checksum", sum, "-C", "-", "-o", "out", url).status == 0)
        #expect(try await tool.run("--checksum", sum, "-C", "-", "-o", "out", url).status == 0)
        #expect(try Data(contentsOf: directory.appending(path: "out")) == ResumeTests.pattern(100_000))
      }
    }
  }

  @Test func differingBodyIsPutAside() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        try Data("old".utf8).write(to: directory.appending(path: "out"))
        let sum = "sha256:" + hex(SHA256.hash(data: Data("other".utf8)))
        let outcome = try await tool.run("--checksum", sum, "-o", "out", server.url("/bytes/1000").absoluteString)
        #expect(outcome.status == 110)
        #expect(outcome.errors.contains("out.mismatch"))
        #expect(try Data(contentsOf: directory.appending(path: "out")) == Data("old".utf8))
        #expect(try Data(contentsOf: directory.appending(path: "out.mismatch")) == ResumeTests.pattern(1000))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        let piped = try await tool.run("--checksum", sum, server.url("/bytes/10").absoluteString)
        #expect((piped.status, piped.text) == (110, "abcdefghij"))
      }
    }
  }
}
