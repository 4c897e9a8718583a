import ChildProcesses
import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTP/3 with servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(20))) struct InstalledServerHTTP3Tests {
  /// A server program that speaks HTTP/3.
  enum Program: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case caddy
    /// The newest, from PyPI.
    case newestCaddy
    case gtlsserver, aioquic

    var testDescription: String { rawValue }

    private var program: String? {
      switch self {
      case .caddy: InstalledServer.find("caddy")
      case .newestCaddy: PythonPeers.find("caddy")
      case .gtlsserver: InstalledServer.find("gtlsserver")
      case .aioquic: PythonPeers.aioquic
      }
    }

    static let installed = allCases.filter { Wire.hasHTTP3 && $0.program != nil }

    func start(_ files: [String: String]) async throws -> InstalledServer {
      let program = try #require(program)
      switch self {
      case .caddy, .newestCaddy:
        return try await InstalledServer(
          program, ["run", "--adapter", "caddyfile", "--config", "CONFIG", "--pidfile", "pid"],
          configuration: InstalledServerHTTP2Tests.caddy, files: files)
      case .gtlsserver:
        return try await InstalledServer(
          #require(InstalledServer.find("bash")), ["CONFIG"], configuration: InstalledServerHTTP3Tests.gtlsserver, files: files)
      case .aioquic:
        return try await InstalledServer(program, [PythonPeers.script("http3-files.py"), ".", "PORT"], configuration: "", files: files)
      }
    }
  }

  /// The program doesn't report when it is ready; the kernel's table of sockets tells.
  private static let gtlsserver = """
    port=$(printf ':%04X ' PORT)
    (until grep -q "$port" /proc/net/udp; do sleep 0.02; done; echo 1 > FOLDER/pid) &
    exec gtlsserver -q -d FOLDER/root 127.0.0.1 PORT FOLDER/server.key FOLDER/server.pem
    """

  private func serve(
    _ program: Program, _ adjust: (URLSessionConfiguration) -> Void = { $0.httpVersions = .http3Only },
    delegate: (any URLSessionDelegate)? = nil, _ body: (InstalledServerLoads) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let own = try authority.issue()
    let server = try await program.start([
      "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
      "root/small.txt": InstalledServerLoads.small, "root/large.txt": InstalledServerLoads.large,
    ])
    defer { server.stop() }
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    adjust(configuration)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    if program == .newestCaddy {
      let asking = URLSessionConfiguration.testing(trusting: authority)
      asking.httpVersions = .http3Only
      let first = URLSession(configuration: asking)
      await InstalledServerLoads(session: first, url: url, protocolName: "h3").waitForServer()
      first.invalidateAndCancel()
    }
    try await body(InstalledServerLoads(session: session, url: url, protocolName: "h3"))
    session.invalidateAndCancel()
  }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/3 is installed"), arguments: Program.installed)
  func loadsOfAllKindsComeOverHTTP3(_ program: Program) async throws { try await serve(program) { try await $0.allKindsArrive() } }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/3 is installed"), arguments: Program.installed)
  func hundredsOfLoadsAtOnceAllArrive(_ program: Program) async throws { try await serve(program) { try await $0.hundredsAtOnceArrive() } }

  @Test(.enabled(if: !Program.installed.isEmpty, "no server with HTTP/3 is installed"), arguments: Program.installed)
  func cancelledDownloadsLeaveTheConnectionInOrder(_ program: Program) async throws {
    try await serve(program) { try await $0.cancelledDownloadsLeaveTheConnectionInOrder() }
  }

  /// caddy says in `Alt-Svc` that it speaks HTTP/3, at its own port.
  @Test(
    .enabled(if: !Program.installed.filter { $0.rawValue.lowercased().hasSuffix("caddy") }.isEmpty, "caddy isn't installed"),
    arguments: Program.installed.filter { $0.rawValue.lowercased().hasSuffix("caddy") }, [false, true])
  func serverThatAdvertisesHTTP3IsReachedByItLater(_ program: Program, isAsked: Bool) async throws {
    // Each load goes to the server: the cache's answers tell nothing of it.
    let adjust = { (configuration: URLSessionConfiguration) in
      configuration.httpVersions = .all
      configuration.urlCache = nil
    }
    let judge = ChallengeDelegate(.performDefaultHandling)
    try await serve(program, adjust, delegate: isAsked ? judge : nil) { loads async throws in
      let recorder = ProtocolRecorder()
      var names: [String] = []
      let end = HangLimit.end
      while names.last != "h3", ContinuousClock.now < end {
        _ = try await loads.session.data(from: loads.url.appending(path: "small.txt"), delegate: recorder)
        names.append(recorder.name.withLock { $0 } ?? "")
      }
      #expect(names.first == "h2" && names.last == "h3")
      #expect(judge.trusts.count == (isAsked ? 2 : 0))
    }
  }
}

/// What the last load was carried by. It takes no challenges.
private final class ProtocolRecorder: NSObject, URLSessionTaskDelegate {
  let name = Mutex<String?>(nil)

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    name.withLock { $0 = metrics.transactionMetrics.last?.networkProtocolName }
  }
}
