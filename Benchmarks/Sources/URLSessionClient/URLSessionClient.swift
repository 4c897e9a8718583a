import Foundation
import Measuring

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingInspector
  import URLLoadingSystem
#endif

/// The benchmark client over URLSession. The same source is built twice: over this project's URL Loading System, and, in
/// `foundation-networking-peer/`, over the toolchain's FoundationNetworking.
///
/// `--mode` chooses the interface: `async` (the default) awaits `data(for:)`, `completion` wraps a completion handler in a
/// continuation, `loop` awaits on the session's event loop, `delegate` receives each chunk in a session delegate; `chunks`, `bytes` and
/// `lines` iterate over the body, and `bytes-actor` and `bytes-main` over its bytes in an actor and on the main actor, `bytes-main-own`
/// by a sequence of the benchmark's own there; `heads` and `inspected` are `async` with a recorder of heads alone, or of everything.
@main
enum URLSessionClient {
  static func main() async {
    await BenchmarkClient.main { arguments in
      trust(arguments.certificateFile)
      switch arguments.scenario.body {
      case .echo(let bytes), .open(let bytes): return try await WebSockets.measure(arguments, bytes: bytes)
      case .stalled: return try await StalledLoads.measure(arguments, try request(for: arguments))
      case .small, .bigDiscarded, .bigInMemory, .bigToFile, .bigFromFile: break
      }
      let loader = try loader(for: arguments)
      let request = try request(for: arguments)
      let mixed = arguments.scenario.isMixed ? try MixedRequests(like: request) : nil
      let measurement = try await Measurement.run(arguments, on: loader.executor) { range in
        #if !FOUNDATION_NETWORKING_PEER
          if arguments.scenario.endsConnections { await loader.session.flush() }
        #endif
        if let mixed { return try await loader.load(mixed.take()) }
        guard let range else { return try await loader.load(request) }
        var part = request
        part.setValue(range, forHTTPHeaderField: "Range")
        return try await loader.load(part)
      }
      loader.session.invalidateAndCancel()
      return measurement
    }
  }

  /// URLSession has no public way to add a root, so this project honours the variable that OpenSSL made customary.
  /// FoundationNetworking 6.3 reads the system's roots only: there a TLS load fails, and the runner notes why.
  private static func trust(_ certificateFile: String?) {
    guard let certificateFile else { return }
    setenv("SSL_CERT_FILE", certificateFile, 1)
  }

  private static func request(for arguments: Arguments) throws -> URLRequest {
    guard let url = URL(string: arguments.url) else { throw BenchmarkFailure("not a URL: \(arguments.url)") }
    let policy: URLRequest.CachePolicy = arguments.scenario.usesStores ? .useProtocolCachePolicy : .reloadIgnoringLocalCacheData
    var request = URLRequest(url: url, cachePolicy: policy, timeoutInterval: 600)
    #if !FOUNDATION_NETWORKING_PEER
      request.assumesHTTP3Capable = arguments.scenario.isHTTP3
    #endif
    return request
  }

  /// In memory and on disk, in a folder of its own.
  private static func cache() -> URLCache {
    let folder = NSTemporaryDirectory() + "url-loading-benchmark-cache-\(ProcessInfo.processInfo.processIdentifier)"
    return URLCache(memoryCapacity: 16 << 20, diskCapacity: 64 << 20, diskPath: folder)
  }

  /// A store that a look-up has to search: cookies of a hundred other hosts.
  private static func keepSomeCookies(_ storage: HTTPCookieStorage?) {
    for index in 0..<100 {
      let cookie = HTTPCookie(properties: [.name: "session", .value: "value", .domain: "host\(index).example", .path: "/"])
      if let cookie { storage?.setCookie(cookie) }
    }
  }

  private static func loader(for arguments: Arguments) throws -> any Loader {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = arguments.scenario.usesStores ? cache() : nil
    if arguments.scenario.usesStores { keepSomeCookies(configuration.httpCookieStorage) }
    if !arguments.scenario.isMixed { configuration.httpMaximumConnectionsPerHost = arguments.concurrency }
    switch (arguments.mode ?? "async", arguments.scenario.body) {
    case (_, .bigToFile):
      return DownloadLoader(session: URLSession(configuration: configuration))
    case (_, .bigFromFile):
      guard let file = arguments.file else { throw BenchmarkFailure("an upload needs --file") }
      return UploadLoader(session: URLSession(configuration: configuration), file: URL(fileURLWithPath: file))
    case ("delegate", let body):
      return DelegateLoader(configuration: configuration, keepsBodies: body != .bigDiscarded)
    #if !FOUNDATION_NETWORKING_PEER
      case ("chunks", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .chunks)
      case ("bytes", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .bytes)
      case ("bytes-actor", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .bytesInActor)
      case ("bytes-main", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .bytesOnMainActor)
      case ("bytes-main-own", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .ownBytesOnMainActor)
      case ("lines", .bigDiscarded):
        return StreamLoader(session: URLSession(configuration: configuration), reads: .lines)
    #endif
    case (_, .bigDiscarded):
      throw BenchmarkFailure("a body can be discarded with --mode delegate, chunks, bytes or lines only")
    case ("async", _):
      return AsyncLoader(session: URLSession(configuration: configuration))
    #if !FOUNDATION_NETWORKING_PEER
      case ("heads", _), ("inspected", _):
        configuration.inspector = URLSessionInspector(arguments.mode == "heads" ? .headsOnly : .init())
        return AsyncLoader(session: URLSession(configuration: configuration))
      case ("loop", _):
        return LoopLoader(session: URLSession(configuration: configuration))
    #endif
    case ("completion", _):
      return CompletionLoader(session: URLSession(configuration: configuration))
    case (let mode, _):
      throw BenchmarkFailure("unknown mode \(mode)")
    }
  }
}
