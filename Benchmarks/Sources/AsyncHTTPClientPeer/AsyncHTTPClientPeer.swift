import AsyncHTTPClient
import Measuring
import NIOCore
import NIOPosix
import NIOSSL

/// The benchmark client over AsyncHTTPClient's async interface, set up at its best for a process that owns one core:
/// one event loop, a connection for each worker, HTTP/1.1 only.
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
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = arguments.concurrency
    if let file = arguments.certificateFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(file)
      configuration.tlsConfiguration = tls
    }
    return configuration
  }

  private static func load(_ arguments: Arguments, range: String?, with client: HTTPClient) async throws -> Int {
    var request = HTTPClientRequest(url: arguments.url)
    if let range { request.headers.add(name: "Range", value: range) }
    let response = try await client.execute(request, timeout: .minutes(10))
    guard response.status == .ok || response.status == .partialContent else {
      throw BenchmarkFailure("status \(response.status.code)")
    }
    switch arguments.scenario.body {
    case .small, .bigInMemory:
      return try await response.body.collect(upTo: 1 << 31).readableBytes
    case .bigDiscarded:
      var bytes = 0
      for try await chunk in response.body { bytes += chunk.readableBytes }
      return bytes
    }
  }
}
