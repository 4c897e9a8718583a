import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct MultipartUploadTests {
  private static let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  /// A form of a field and a file, and the bytes it is to send.
  private func form(_ file: SourceFile) throws -> (form: URLSessionMultipartFormData, bytes: Data) {
    var form = try #require(URLSessionMultipartFormData(boundary: "b"))
    form.append("Ann", name: "author")
    try form.append(file: file.url, name: "photo", filename: "photo.jpg")
    let head = """
      --b
      Content-Disposition: form-data; name="author"

      Ann
      --b
      Content-Disposition: form-data; name="photo"; filename="photo.jpg"
      Content-Type: application/octet-stream


      """
    let bytes = Data(head.replacing("\n", with: "\r\n").utf8) + file.content + Data("\r\n--b--\r\n".utf8)
    #expect(form.contentLength == Int64(bytes.count))
    return (form, bytes)
  }

  @Test(arguments: Wire.allCases) func formIsSentWithItsLength(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      let file = try SourceFile(Self.content)
      let (form, bytes) = try form(file)
      let request = URLRequest("POST", server.url(), body: Data("ignored".utf8))
      let (data, _) = try await session.upload(for: request, multipart: form)
      #expect(data == Data("ok".utf8))
      let log = CompletionLog()
      session.uploadTask(with: request, multipart: form, completionHandler: log.handler).resume()
      #expect(await log.call().data == Data("ok".utf8))
      let task = session.uploadTask(with: request, multipart: form)
      #expect(task.countOfBytesExpectedToSend == Int64(bytes.count))
      for request in server.requests {
        #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=b")
        #expect(request.headers["Content-Length"] == "\(bytes.count)")
        #expect(request.headers["Transfer-Encoding"] == nil)
        #expect(request.body == bytes)
      }
      #expect(server.requestCount == 2)
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [307, 308], Wire.allCases) func redirectSendsTheFormAgain(_ status: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .redirect(to: "/there", status: status))
      server.route("/there", reply: .text("ok"))
      let file = try SourceFile(Self.content)
      let (form, bytes) = try form(file)
      _ = try await session.upload(for: URLRequest("POST", server.url()), multipart: form)
      #expect(server.requests.map(\.path) == ["/", "/there"])
      #expect(server.requests.allSatisfy { $0.body == bytes })
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [Wire.plain, .h2]) func challengeSendsTheFormAgain(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let supplier = BodySupplier(nil)
      let session = URLSession(configuration: configuration, delegate: supplier, delegateQueue: nil)
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]), .text("ok"))
      let file = try SourceFile(Self.content)
      let (form, bytes) = try form(file)
      let task = session.uploadTask(with: URLRequest("POST", server.url()), multipart: form)
      task.resume()
      #expect(await supplier.completion() == nil)
      #expect(server.requests.map(\.body) == [bytes, bytes])
      #expect(supplier.asked == 0)
      #expect(task.countOfBytesSent == Int64(bytes.count))
      session.invalidateAndCancel()
    }
  }

  @Test func fileThatVanishedOrChangedIsAnErrorBeforeAnythingIsSent() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let (vanished, changed) = (try SourceFile(Data("1234".utf8)), try SourceFile(Data("1234".utf8)))
      var first = URLSessionMultipartFormData()
      try first.append(file: vanished.url, name: "f")
      try FileManager.default.removeItem(at: vanished.url)
      let missing = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest("POST", server.url()), multipart: first)
      }
      #expect(missing?.code == .fileDoesNotExist)
      var second = URLSessionMultipartFormData()
      try second.append(file: changed.url, name: "f")
      try Data("12345".utf8).write(to: changed.url)
      let other = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest("POST", server.url()), multipart: second)
      }
      #expect(other?.code == .requestBodyStreamExhausted)
      #expect(other?.localizedDescription.contains(changed.url.lastPathComponent) == true)
      #expect(server.requestCount == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func fileThatChangesWhileItIsSentIsAnError() async throws {
    try await Wire.plain.serve({ $0.receiveBufferSize = 65_536 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.enqueue(Reply(faults: [.slowReader(gate)]))
      let file = try SourceFile(Data(count: 32 << 20))
      let (form, _) = try form(file)
      let loaded = Task { try await session.upload(for: URLRequest("POST", server.url()), multipart: form).0 }
      _ = try await server.waitForRequestHead()
      try Data("short".utf8).write(to: file.url)
      gate.open()
      let error = await #expect(throws: URLError.self) { try await loaded.value }
      #expect(error?.code == .requestBodyStreamExhausted)
      session.invalidateAndCancel()
    }
  }

  /// Cancels its task once so many bytes of the body have been sent.
  private final class EarlyEnd: NSObject, URLSessionTaskDelegate {
    static let sent: Int64 = 64 << 20

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      if totalBytesSent >= Self.sent { task.cancel() }
    }
  }

  @Test func fileLargerThanMemoryIsReadAsItIsSent() async throws {
    try await Wire.plain.serve({ $0.recordedBodyLimit = 1000 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let file = try SourceFile(Data())
      // Of a file with a hole, nothing lies on the disk. No machine of ours could hold this one in memory.
      let handle = try FileHandle(forWritingTo: file.url)
      try handle.truncate(atOffset: 1 << 40)
      try handle.close()
      var form = URLSessionMultipartFormData()
      try form.append(file: file.url, name: "disk")
      let length = form.contentLength
      #expect(length > 1 << 40)
      let end = EarlyEnd()
      let error = await #expect(throws: URLError.self) {
        try await session.upload(for: URLRequest("POST", server.url()), multipart: form, delegate: end)
      }
      #expect(error?.code == .cancelled)
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: InstalledServer.hasHTTPBin, "python3-httpbin isn't installed"))
  func formIsReadByAnotherServersParser() async throws {
    let server = try await InstalledServer(InstalledFTPServer.python, ["CONFIG"], configuration: InstalledHTTPBinTests.program, files: [:])
    defer { server.stop() }
    struct Echo: Decodable {
      let form: [String: String]
      let files: [String: String]
    }
    let session = URLSession(configuration: .testing())
    let file = try SourceFile(Data("first line\r\n--second line\r\n".utf8))
    var form = URLSessionMultipartFormData()
    form.append("Ann Ä\r\n\r\n", name: "author")
    form.append(Data("{\"a\":1}".utf8), name: "meta", contentType: "application/json")
    try form.append(file: file.url, name: "notes", filename: "nötes \"1\".txt")
    form.append(Data(), name: "empty", filename: "empty")
    let (data, _) = try await session.upload(for: URLRequest("POST", try server.url("/post")), multipart: form)
    let echo = try JSONDecoder().decode(Echo.self, from: data)
    #expect(echo.form == ["author": "Ann Ä\r\n\r\n", "meta": "{\"a\":1}"])
    #expect(echo.files == ["notes": String(decoding: file.content, as: UTF8.self), "empty": ""])
    session.invalidateAndCancel()
  }
}
