import Foundation
import LoadingModel
import SeededNumbers
import URLLoadingSystem
import URLLoadingTestKit

extension Data {
  /// So many bytes from `numbers`.
  init(random count: Int, from numbers: inout some RandomNumberGenerator) {
    var words: [UInt64] = []
    words.reserveCapacity((count + 7) / 8)
    for _ in 0..<(count + 7) / 8 { words.append(numbers.next()) }
    self = words.withUnsafeBytes { Data($0.prefix(count)) }
  }
}

/// A resource that a server gives out whole or from an offset on.
struct Resource: Sendable {
  let bytes: Data
  let tag: String

  init(count: Int, seed: UInt64 = 1, tag: String = "\"one\"") {
    var numbers = SeededNumbers(seed: seed)
    bytes = Data(random: count, from: &numbers)
    self.tag = tag
  }

  /// What a server that knows ranges answers.
  func reply(_ request: RecordedRequest) -> Reply {
    guard let offset = Resource.offset(request), request.headers["If-Range"] ?? tag == tag else {
      return Reply(headers: ["ETag": tag, "Accept-Ranges": "bytes"], body: .bytes(bytes))
    }
    return part(from: offset)
  }

  func part(from offset: Int) -> Reply {
    Reply(
      206, headers: ["ETag": tag, "Content-Range": "bytes \(offset)-\(bytes.count - 1)/\(bytes.count)"],
      body: .bytes(bytes.dropFirst(offset)))
  }

  static func offset(_ request: RecordedRequest) -> Int? {
    request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
  }
}

/// A folder of its own for a test's downloads.
struct DownloadFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A configuration whose downloads go here.
  var configuration: URLSessionConfiguration { adjust(.testing(clock: ManualClock())) }

  /// The same for the servers of `wire`.
  func configuration(for wire: Wire) throws -> URLSessionConfiguration { adjust(try wire.configuration(clock: ManualClock())) }

  // The clock doesn't advance: however slow the disk is, a stopped download waits for it.
  private func adjust(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    configuration.downloadFolder = url
    return configuration
  }

  /// Runs `body` with a server on this wire and a configuration for it whose downloads go here.
  func serve(_ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void) async throws {
    let configuration = try configuration(for: wire)
    try await wire.serve { server, _ in try await body(server, configuration) }
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }

  func remove() { try? FileManager.default.removeItem(at: url) }
}

/// Writes down what a download's delegate is told; reads the file before it is removed.
final class DownloadRecorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
  private struct State {
    var events: [String] = []
    var written: [(bytes: Int64, total: Int64, expected: Int64)] = []
    var file: Data?
    var location: URL?
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let done = Signal()
  private let disposition: URLSession.ResponseDisposition
  private let writing: Signal?
  private let gate: DispatchSemaphore?
  private let keepsFile: Bool

  /// - Parameters:
  ///   - writing: Told of each `didWriteData`.
  ///   - gate: Where each `didWriteData` waits.
  ///   - keepsFile: Whether to read the file, which must fit into memory.
  init(
    disposition: URLSession.ResponseDisposition = .allow, writing: Signal? = nil, gate: DispatchSemaphore? = nil, keepsFile: Bool = true
  ) {
    self.keepsFile = keepsFile
    self.disposition = disposition
    self.writing = writing
    self.gate = gate
  }

  var events: [String] { state.withLock { $0.events } }
  var written: [(bytes: Int64, total: Int64, expected: Int64)] { state.withLock { $0.written } }
  var file: Data? { state.withLock { $0.file } }
  var location: URL? { state.withLock { $0.location } }

  /// Waits for the task's last message.
  func end() async -> (any Error)? {
    await done.wait()
    return state.withLock { $0.error }
  }

  private func note(_ event: String) { state.withLock { $0.events.append(event) } }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let file = keepsFile ? try? Data(contentsOf: location) : nil
    state.withLock { state in
      state.events.append("file")
      (state.file, state.location) = (file, location)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    state.withLock { state in
      if state.events.last != "written" { state.events.append("written") }
      state.written.append((bytesWritten, totalBytesWritten, totalBytesExpectedToWrite))
    }
    writing?.send()
    // A turnstile: once open, it stays open.
    gate?.wait()
    gate?.signal()
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    note("resumed at \(fileOffset) of \(expectedTotalBytes)")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response")
    completionHandler(disposition)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask) {
    note("became download")
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note("data") }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) { note("metrics") }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { state in
      state.events.append("completed of \(task is URLSessionDownloadTask ? "download" : "data")")
      state.error = error
    }
    done.send()
  }
}
