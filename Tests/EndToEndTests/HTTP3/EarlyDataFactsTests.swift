import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What metrics say of the TLS of requests in the first flight (0-RTT).
@Suite(.timeLimit(.minutes(10)), .enabled(if: Wire.hasHTTP3, "a build without HTTP/3")) struct EarlyDataFactsTests {
  /// The last transaction of each task, in the order in which they ended.
  private final class Recorder: NSObject, URLSessionTaskDelegate {
    private let ended = Mutex<[URLSessionTaskTransactionMetrics]>([])

    var transactions: [URLSessionTaskTransactionMetrics] { ended.withLock { $0 } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      guard let last = metrics.transactionMetrics.last else { return }
      ended.withLock { $0.append(last) }
    }
  }

  @Test(arguments: [TestServer.HTTP3.EarlyData.accepted, .refused])
  func requestsInTheFirstFlightHaveVersionAndSuite(_ earlyData: TestServer.HTTP3.EarlyData) async throws {
    try await Wire.h3.serve({ $0.http3.earlyData = earlyData }) { server, configuration async throws in
      configuration.enablesEarlyData = true
      // However slow the server is, what is sent early waits for its answer.
      configuration.use(ManualClock())
      let recorder = Recorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.route("/", reply: .text("got"))
      server.route("/bye", reply: .text("bye").with(.goAway(isProcessed: true)))
      // The first connection leaves a ticket; the others ask with it.
      for _ in 1...3 { #expect(try await session.text(from: server.url("/bye")).0 == "bye") }
      #expect(try await session.text(from: server.url()).0 == "got")
      let early = recorder.transactions.filter { $0.quic?.earlyData == (earlyData == .accepted ? .accepted : .refused) }
      #expect(!early.isEmpty)
      for transaction in recorder.transactions {
        #expect(transaction.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(transaction.negotiatedTLSCipherSuite != nil)
      }
      session.invalidateAndCancel()
    }
  }
}
