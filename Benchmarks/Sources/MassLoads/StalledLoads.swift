import Foundation
import URLLoadingSystem

/// What a load costs that has been sent and isn't answered.
enum StalledLoads {
  /// Any certificate will do: the server is one on this machine.
  private final class Truster: NSObject, URLSessionDelegate {
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      completionHandler(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
    }
  }

  static func run(_ loads: Int, at url: URL, overHTTP3: Bool) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = loads
    let session = URLSession(configuration: configuration, delegate: Truster(), delegateQueue: nil)
    func request(_ path: String) -> URLRequest {
      var request = URLRequest(url: url.appending(path: path))
      request.assumesHTTP3Capable = overHTTP3
      return request
    }
    for _ in 0..<20 { _ = try await session.data(for: request("ready")) }
    let before = try MassLoads.residentBytes()
    for _ in 0..<loads { session.dataTask(with: request("stall")).resume() }
    // Nothing tells that the server has them all.
    try await Task.sleep(for: .seconds(5))
    let tasks = await session.allTasks
    let perLoad = Double(try MassLoads.residentBytes() - before) / Double(loads) / 1024
    let running = tasks.count { $0.state == .running }
    print("\(tasks.count) tasks, \(running) running: \(String(format: "%.1f", perLoad)) KiB per stalled load")
    session.invalidateAndCancel()
  }
}
