import BackgroundTransfers
import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import BackgroundDaemon

/// Why a task is cancelled, where more than one reason comes before it has completed.
@Suite(.timeLimit(.minutes(10))) struct RunEndingTests {
  private static var parked: TransferRun.Ending { .parked(next: nil, reason: nil) }
  private static var failed: TransferRun.Ending { .failed(URLErrorValue.cancelled) }

  @Test func endTakesThePlaceOfAWait() {
    #expect(TransferRun.Ending.cancelled.replaces(Self.parked))
    #expect(Self.failed.replaces(Self.parked))
    #expect(TransferRun.Ending.discarded.replaces(Self.parked))
  }

  @Test func firstEndThatItsAppIsToldCounts() {
    for ending in [Self.parked, .cancelled, Self.failed] {
      #expect(!ending.replaces(.cancelled))
      #expect(!ending.replaces(Self.failed))
      #expect(!ending.replaces(.discarded))
      #expect(TransferRun.Ending.discarded.replaces(ending))
    }
    #expect(!Self.parked.replaces(Self.parked))
  }

  /// How much an attempt has sent says nothing: the server may keep none of it.
  @Test func attemptOfAnUploadHasAdvancedIfTheServerHasMore() throws {
    let place = UploadResource(location: try #require(URL(string: "http://a.test/uploads/1")), version: UploadDraftVersion(3))
    var request = LoadRequest(url: place.location)
    request.mutate { $0.body = .file(URL(filePath: "/tmp/source")) }
    let sent = request
    func data(_ offset: Int64?) -> Data? { UploadResumeData(sent, place, length: 9, offset: offset)?.encoded }
    #expect(data(4) != nil)
    #expect(TransferRun.hasAdvanced(.upload, from: nil, to: data(4)))
    #expect(TransferRun.hasAdvanced(.upload, from: data(4), to: data(5)))
    #expect(!TransferRun.hasAdvanced(.upload, from: data(4), to: data(4)))
    #expect(!TransferRun.hasAdvanced(.upload, from: nil, to: data(0)))
    #expect(!TransferRun.hasAdvanced(.upload, from: data(nil), to: data(nil)))
    #expect(!TransferRun.hasAdvanced(.upload, from: data(4), to: nil))
  }

  /// Where more tasks are suspended than may run at once, each further one is cancelled right away, and waits without a connection.
  @Test func cancellationThatWantsResumeDataIsKeptWhileASuspendedTaskGivesUpItsConnection() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.maximumRunning = 1
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_000_000)
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        _ = try await app.progress { $0.task == 1 && $0.received >= 1_000_000 }
        app.send(.suspend(task: 1))
        app.begin(.download(2, server.url("/f")))
        _ = try await app.progress { $0.task == 2 && $0.received >= 1_000_000 }
        app.send(.suspend(task: 2), .cancel(task: 2, wantsResumeData: true))
        let event = try await app.event(of: 2)
        #expect(event.outcome.error?.code == -999)
        #expect(event.outcome.error?.resumeData != nil)
      }
    }
  }
}
