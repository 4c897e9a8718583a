import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server in Python that breaks the rules of QUIC, HTTP/3 and QPACK frame by frame (`Tests/Servers/misbehaving-http3.py`).
@Suite(.timeLimit(.minutes(20))) struct MisbehavingHTTP3Tests {
  private static let python = Wire.hasHTTP3 ? PythonPeers.aioquic : nil
  private static let script = PythonPeers.script("misbehaving-http3.py")

  @Test(.enabled(if: python != nil, "aioquic isn't installed")) func listOfAll() async throws {
    try await MisbehavingServer.with(Self.python, Self.script, { $0.httpVersions = .http3Only }) { server in
      for name in server.names {
        let start = ContinuousClock.now
        let (first, next) = try await server.meet(name)
        print("MISDEED", name, first, next, ContinuousClock.now - start)
      }
    }
  }
}
