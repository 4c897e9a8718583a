import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTP/3 where it has failed, and TCP leads nowhere.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct LastResortTests {
  @Test("a place that has failed is tried again where TCP is refused", arguments: [1, 20]) func refusedTCP(_ count: Int) async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue()
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.httpVersions = .all
    configuration.urlCache = nil
    // The moment for which a failure over TCP is kept doesn't pass.
    configuration.use(ManualClock())
    try await TestServer.with(.http3(certificate)) { place async throws in
      place.route("/", reply: .text("ok"))
      let session = URLSession(configuration: configuration)
      let url = try await TestServer.with(.http2(certificate)) { origin async throws in
        origin.enqueue(Reply(200, headers: ["Alt-Svc": "h3=\":\(place.port)\"; ma=3600"], body: .text("ok")))
        _ = try await session.data(from: origin.url())
        return origin.url()
      }
      #expect(try await session.text(from: url).0 == "ok")
      #expect(place.requestCount == 1)
      // The connection that has served breaks, and so does the next one before it has.
      for _ in 0..<2 { place.enqueue(Reply(200, faults: [.disconnectBeforeHeaders])) }
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<count { group.addTask { try await session.text(from: url).0 } }
        for try await text in group { #expect(text == "ok") }
      }
      session.invalidateAndCancel()
    }
  }
}
