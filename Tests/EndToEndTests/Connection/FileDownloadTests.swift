import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// `NSURLDownload`.
@Suite(.timeLimit(.minutes(10))) struct FileDownloadTests {
  private final class Recorder: NSObject, NSURLDownloadDelegate, @unchecked Sendable {
    // @unchecked: used on the download's run loop, and after it has ended.
    var messages: [String] = []
    var error: (any Error)?
    var path: String?
    var hasEnded = false
    var destination: String?
    var allowsOverwriting = false
    var onData: (NSURLDownload) -> Void = { _ in }
    var received = 0

    func downloadDidBegin(_ download: NSURLDownload) { messages.append("begin") }

    func download(_ download: NSURLDownload, didReceive response: URLResponse) { messages.append("response") }

    func download(_ download: NSURLDownload, willResumeWith response: URLResponse, fromByte startingByte: Int64) {
      messages.append("resume \(startingByte)")
    }

    func download(_ download: NSURLDownload, decideDestinationWithSuggestedFilename filename: String) {
      messages.append("decide \(filename)")
      if let destination { download.setDestination(destination, allowOverwrite: allowsOverwriting) }
    }

    func download(_ download: NSURLDownload, didReceiveDataOfLength length: Int) {
      if messages.last != "data" { messages.append("data") }
      received += length
      onData(download)
    }

    func download(_ download: NSURLDownload, didCreateDestination path: String) {
      messages.append("created")
      self.path = path
    }

    func downloadDidFinish(_ download: NSURLDownload) {
      messages.append("finished")
      hasEnded = true
    }

    func download(_ download: NSURLDownload, didFailWithError error: any Error) {
      messages.append("failed")
      self.error = error
      hasEnded = true
    }
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @available(*, deprecated)
  @Test(arguments: [false, true]) func fileGetsToTheDestinationThatTheDelegateNames(_ overwrites: Bool) async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("new"))
      try await withFolder { folder async throws in
        let target = folder.appending(path: "file.txt").path
        try Data("old".utf8).write(to: URL(filePath: target))
        let (recorder, url) = (Recorder(), server.url("/name.txt"))
        (recorder.destination, recorder.allowsOverwriting) = (target, overwrites)
        try await onOwnThread {
          let download = NSURLDownload(request: URLRequest(url: url), delegate: recorder)
          turnRunLoop { recorder.hasEnded }
          #expect(download.request.url == url)
        }
        #expect(recorder.messages == ["begin", "response", "decide name.txt", "data", "created", "finished"])
        let path = try #require(recorder.path)
        #expect(path == (overwrites ? target : folder.appending(path: "file-1.txt").path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
      }
    }
  }

  @available(*, deprecated)
  @Test func aFolderIsNotOverwritten() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("new"))
      try await withFolder { folder async throws in
        let target = folder.appending(path: "photos", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try Data("old".utf8).write(to: target.appending(path: "one.jpg"))
        let (recorder, url) = (Recorder(), server.url("/photos"))
        (recorder.destination, recorder.allowsOverwriting) = (folder.appending(path: "photos").path, true)
        try await onOwnThread {
          _ = NSURLDownload(request: URLRequest(url: url), delegate: recorder)
          turnRunLoop { recorder.hasEnded }
        }
        #expect(recorder.messages.last == "failed" && recorder.error is CocoaError)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["photos"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["one.jpg"])
      }
    }
  }

  /// Serves ten thousand bytes at "/file": whole with a fault, and the rest of them to who asks for it.
  private func routeFile(_ body: String, of server: TestServer, breaking fault: Fault) {
    server.route("/file") { request in
      guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
        return Reply(headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes"], body: .text(body), faults: [fault])
      }
      return Reply(
        206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(start)-9999/10000"], body: .text(String(body.dropFirst(start))))
    }
  }

  @available(*, deprecated)
  @Test func interruptedDownloadGoesOn() async throws {
    try await TestServer.with { server async throws in
      let body = String(repeating: "abcdefghij", count: 1000)
      routeFile(body, of: server, breaking: .disconnectAfterBodyBytes(4000))
      try await withFolder { folder async throws in
        let target = folder.appending(path: "file").path
        let (first, second, url) = (Recorder(), Recorder(), server.url("/file"))
        first.destination = target
        let resumeData = try await onOwnThread {
          let download = NSURLDownload(request: URLRequest(url: url), delegate: first)
          download.deletesFileUponFailure = false
          turnRunLoop { first.hasEnded }
          return download.resumeData
        }
        #expect(first.messages.last == "failed")
        let data = try #require(resumeData)
        try await onOwnThread {
          _ = NSURLDownload(resumeData: data, delegate: second, path: target)
          turnRunLoop { second.hasEnded }
        }
        #expect(second.messages.contains { $0.hasPrefix("resume ") } && second.messages.last == "finished")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == body)
      }
    }
  }

  @available(*, deprecated)
  @Test func nothingFollowsACancellation() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.route("/", reply: Reply(body: .text("ab"), faults: [.stallAfter(bodyBytes: 1, gate: gate)]))
      let (recorder, url) = (Recorder(), server.url("/"))
      try await onOwnThread {
        let download = NSURLDownload(request: URLRequest(url: url), delegate: recorder)
        turnRunLoop { recorder.messages.contains("response") }
        download.cancel()
      }
      try await server.waitForConnections(open: 0)
      #expect(!recorder.messages.contains("finished") && !recorder.messages.contains("failed"))
    }
  }

  @available(*, deprecated)
  @Test(arguments: [false, true]) func cancelledDownloadGoesOnIfItsBytesAreKept(_ deletes: Bool) async throws {
    try await TestServer.with { server async throws in
      let (body, gate) = (String(repeating: "abcdefghij", count: 1000), Gate())
      routeFile(body, of: server, breaking: .stallAfter(bodyBytes: 4000, gate: gate))
      try await withFolder { folder async throws in
        let target = folder.appending(path: "file").path
        let (first, second, url) = (Recorder(), Recorder(), server.url("/file"))
        first.destination = target
        let download = try await onOwnThread {
          let download = NSURLDownload(request: URLRequest(url: url), delegate: first)
          download.deletesFileUponFailure = deletes
          turnRunLoop { first.received == 4000 }
          download.cancel()
          return download
        }
        try await server.waitForConnections(open: 0)
        if deletes {
          #expect(download.resumeData == nil)
          return
        }
        try await server.wait { download.resumeData != nil }
        let data = try #require(download.resumeData)
        try await onOwnThread {
          _ = NSURLDownload(resumeData: data, delegate: second, path: target)
          turnRunLoop { second.hasEnded }
        }
        #expect(second.messages.contains("resume 4000") && second.messages.last == "finished")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == body)
      }
    }
  }

  @available(*, deprecated)
  @Test func dataThatIsNoResumeDataFails() async throws {
    let recorder = Recorder()
    try await onOwnThread {
      _ = NSURLDownload(resumeData: Data("x".utf8), delegate: recorder, path: "/nowhere")
      turnRunLoop { recorder.hasEnded }
    }
    #expect((recorder.error as? URLError)?.code == .unsupportedURL)
    #expect(!NSURLDownload.canResumeDownloadDecoded(withEncodingMIMEType: "application/gzip"))
  }
}
