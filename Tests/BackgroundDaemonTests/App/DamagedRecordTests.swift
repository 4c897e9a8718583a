import BackgroundTransfers
import Foundation
import Testing
import URLLoadingTestKit

@testable import URLLoadingSystem

/// A transfer of an earlier process whose record can't be read any more.
@Suite(.timeLimit(.minutes(10))) struct DamagedRecordTests {
  @Test(arguments: [TransferOrder.Kind.download, .upload, nil])
  func itsEndIsToldWithItsNumberAndURL(_ kind: TransferOrder.Kind?) async throws {
    let recorder = BackgroundRecorder()
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    _ = await session.allTasks
    var damage = ErrorValue(domain: NSURLErrorDomain, code: -3001, description: "damaged")
    damage.failingURL = "https://a.test/f"
    var outcome = TransferOutcome()
    outcome.error = damage
    (session.background as? BackgroundSession)?.told(of: TransferEvent(identifier: 1 << 50, task: 900, kind: kind, outcome: outcome))
    let error = await recorder.end(ofTask: 900) as? URLError
    #expect(error?.code == .cannotOpenFile && error?.failingURL?.absoluteString == "https://a.test/f")
    #expect(recorder.events == ["completed -3001"])
    session.invalidateAndCancel()
    #expect(await recorder.invalidation() == nil)
  }
}
