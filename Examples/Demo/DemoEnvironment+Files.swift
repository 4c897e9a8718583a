#if TestKit
  import Cryptography
  import Foundation
  import LoadingModel
  import URLLoadingSystem
  import URLLoadingTestKit

  extension DemoEnvironment {
    private static let size = 1_000_000

    func resumedDownload() async throws -> [String] {
      let (size, cut) = (DemoEnvironment.size, 400_000)
      let url = plain.url("/range/\(size)")
      plain.enqueue(
        Reply(headers: ["ETag": "\"range-\(size)\""], body: .pattern(count: size), faults: [.disconnectAfterBodyBytes(cut)]))
      let error = try await failure { _ = try await session.download(from: url) }
      guard let resumeData = error.downloadTaskResumeData else { throw DemoFailure("no resume data: \(DemoStep.text(error))") }
      let (file, response) = try await session.download(resumeFrom: resumeData)
      defer { try? FileManager.default.removeItem(at: file) }
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      try demand(status == 206, "status \(status) instead of 206")
      try demand(try Data(contentsOf: file) == DemoEnvironment.pattern(size), "the file isn't what the server has")
      return [
        "cut by the server: \(DemoStep.text(error))",
        "gone on with: \(plain.requests.last?.headers["Range"] ?? "-"), \(status); the file is whole",
      ]
    }

    func segments() async throws -> [String] {
      try await withFile(nil) { file in
        let size = DemoEnvironment.size
        let digest = HashFunction.sha256.hash(DemoEnvironment.pattern(size)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
          .joined()
        let before = plain.requestCount
        let status = try await DemoTool.run([
          "-q", "-s", "--segments", "4", "--checksum", "sha256:\(digest)", "-o", file.path, plain.url("/range/\(size)").absoluteString,
        ])
        try demand(status == 0, "urlload ended with \(status)")
        let ranges = plain.requests.dropFirst(before).compactMap { $0.headers["Range"]?.dropFirst("bytes=".count) }
        return [
          "urlload --segments 4 --checksum sha256:\(digest.prefix(8))…: \(plain.requestCount - before) requests, for the bytes "
            + ranges.joined(separator: ", ")
        ]
      }
    }

    func upload() async throws -> [String] {
      try await withFile(DemoEnvironment.pattern(DemoEnvironment.size)) { file in
        plain.route("/kept/*", reply: Reply(201))
        var request = URLRequest(url: plain.url("/kept/report.bin"))
        request.httpMethod = "PUT"
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        let (_, response) = try await session.upload(for: request, fromFile: file)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let received = plain.requests.last?.bodyLength ?? 0
        try demand(status == 201 && received == DemoEnvironment.size, "status \(status), \(received) bytes arrived")
        return ["\(received) bytes from a file, sent after 100 (Continue): \(status)"]
      }
    }

    func resumedUpload() async throws -> [String] {
      let content = DemoEnvironment.pattern(DemoEnvironment.size)
      return try await withFile(content) { file in
        let observer = LoadObserver()
        let lines = Mutex<[String]>([])
        try await UploadServer.with([.close(after: 200_000), .close(after: 10), .close(after: 300_000)]) { server, url in
          var request = URLRequest(url: url)
          request.httpMethod = "PUT"
          let (_, response) = try await session.upload(for: request, fromFile: file, delegate: observer)
          let status = (response as? HTTPURLResponse)?.statusCode ?? 0
          let arrived = server.state.withLock(\.content)
          try demand(status == 201 && arrived == content, "status \(status), \(arrived.count) bytes arrived")
          let requests = (observer.metrics?.transactionMetrics ?? []).map(\.request)
          let told = [
            "the connection broke three times; sent by " + requests.compactMap(\.httpMethod).joined(separator: ", "),
            "\(status), and the server has each of \(arrived.count) bytes once",
          ]
          lines.withLock { $0 = told }
        }
        return lines.withLock { $0 }
      }
    }

    func ftp() async throws -> [String] {
      let text = "By FTP, as ever."
      let lines = Mutex<[String]>([])
      try await TestServer.with(.raw([.send(text), .close])) { data in
        let control = DemoEnvironment.ftpScript(size: text.utf8.count, dataPort: data.url().port ?? 0)
        try await TestServer.with(.rawInTurn([control])) { server in
          guard let url = URL(string: "ftp://127.0.0.1:\(server.url().port ?? 0)/read.me.txt") else { throw DemoFailure("no URL") }
          let (body, response) = try await session.data(from: url)
          let received = String(decoding: body, as: UTF8.self)
          try demand(received == text, "\(received) was received")
          let told = [
            "\(response.mimeType ?? "-"), \(response.expectedContentLength) bytes over a data connection of their own: \(received)"
          ]
          lines.withLock { $0 = told }
        }
      }
      return lines.withLock { $0 }
    }

    /// What a server of FTP answers to an anonymous user that wants one file.
    private static func ftpScript(size: Int, dataPort: Int) -> [RawStep] {
      let dialogue = [
        ("USER anonymous", "331 password"), ("PASS anonymous@", "230 welcome"), ("TYPE I", "200 ok"), ("SIZE read.me.txt", "213 \(size)"),
        ("MDTM read.me.txt", "213 19941106084937"), ("EPSV", "229 ok (|||\(dataPort)|)"), ("RETR read.me.txt", "150 here\r\n226 done"),
      ]
      return [.send("220 ready\r\n")] + dialogue.flatMap { [.read(until: $0.0 + "\r\n"), .send($0.1 + "\r\n")] as [RawStep] }
    }

    /// The alphabet over and over, as the server's routes have it.
    static func pattern(_ count: Int) -> Data {
      let alphabet = Data(UInt8(ascii: "a")...UInt8(ascii: "z"))
      return Data(repeatElement(alphabet, count: count / alphabet.count + 1).joined().prefix(count))
    }

    private func withFile<Result>(_ content: Data?, _ body: (URL) async throws -> Result) async throws -> Result {
      let file = FileManager.default.temporaryDirectory.appending(path: "url-loading-demo-\(UUID().uuidString)")
      try content?.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      return try await body(file)
    }
  }
#endif
