import AsyncHTTPClient
import Foundation
import Measuring
import NIOCore
import NIOPosix
import NIOSSL

/// The benchmark client over AsyncHTTPClient's async interface, set up at its best for a process that owns one core:
/// one event loop, a connection for each worker, HTTP/1.1 unless the scenario is one of HTTP/2.
@main
enum AsyncHTTPClientPeer {
  static func main() async {
    await BenchmarkClient.main { arguments in
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: try configuration(arguments))
      let measurement = try await Measurement.run(arguments) { range in
        try await load(arguments, range: range, with: client)
      }
      try await client.shutdown()
      try await group.shutdownGracefully()
      return measurement
    }
  }

  private static func configuration(_ arguments: Arguments) throws -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    configuration.httpVersion = arguments.scenario.isHTTP2 ? .automatic : .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = arguments.concurrency
    if let file = arguments.certificateFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(file)
      configuration.tlsConfiguration = tls
    }
    return configuration
  }

  private static func load(_ arguments: Arguments, range: String?, with client: HTTPClient) async throws -> Int {
    switch arguments.scenario.body {
    case .bigToFile: return try await download(arguments, range: range, with: client)
    case .bigFromFile: return try await upload(arguments, with: client)
    case .echo, .open, .stalled: throw BenchmarkFailure("AsyncHTTPClient takes no part in this scenario")
    case .small, .bigInMemory, .bigDiscarded: break
    }
    var request = HTTPClientRequest(url: arguments.url)
    if let range { request.headers.add(name: "Range", value: range) }
    let response = try await client.execute(request, timeout: .minutes(10))
    guard response.status == .ok || response.status == .partialContent else {
      throw BenchmarkFailure("status \(response.status.code)")
    }
    switch arguments.scenario.body {
    case .small, .bigInMemory, .bigToFile, .bigFromFile, .echo, .open, .stalled:
      return try await response.body.collect(upTo: 1 << 31).readableBytes
    case .bigDiscarded:
      var bytes = 0
      for try await chunk in response.body { bytes += chunk.readableBytes }
      return bytes
    }
  }

  /// With the delegate that the library has for it.
  private static func download(_ arguments: Arguments, range: String?, with client: HTTPClient) async throws -> Int {
    guard let file = arguments.file else { throw BenchmarkFailure("a download needs --file") }
    var request = try HTTPClient.Request(url: arguments.url)
    if let range { request.headers.add(name: "Range", value: range) }
    try? FileManager.default.removeItem(atPath: file)
    let progress = try await client.execute(request: request, delegate: try FileDownloadDelegate(path: file)).get()
    return progress.receivedBytes
  }

  private static func upload(_ arguments: Arguments, with client: HTTPClient) async throws -> Int {
    guard let file = arguments.file else { throw BenchmarkFailure("an upload needs --file") }
    let length = 1 << 30
    let files = NonBlockingFileIO(threadPool: .singleton)
    let body = HTTPClient.Body.stream(contentLength: Int64(length)) { writer in
      files.openFile(_deprecatedPath: file, eventLoop: client.eventLoopGroup.any()).flatMap { handle, region in
        files.readChunked(
          fileRegion: region, chunkSize: 1 << 18, allocator: ByteBufferAllocator(), eventLoop: client.eventLoopGroup.any(),
          chunkHandler: { writer.write(.byteBuffer($0)) }
        ).always { _ in try? handle.close() }
      }
    }
    let request = try HTTPClient.Request(url: arguments.url, method: .PUT, body: body)
    let response = try await client.execute(request: request).get()
    guard (200..<300).contains(response.status.code) else { throw BenchmarkFailure("status \(response.status.code)") }
    return length
  }
}
