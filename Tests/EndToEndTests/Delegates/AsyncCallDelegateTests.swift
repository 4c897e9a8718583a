import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What the async functions tell the delegate that they are given: the table of Documentation/delegates.md.
@Suite(.timeLimit(.minutes(10))) struct AsyncCallDelegateTests {
  /// Runs `call` with a delegate and a request whose answers are a redirect, an interim response and a response that can be stored.
  private func milestones(
    _ wire: Wire, _ call: (URLSession, URLRequest, DelegateRecorder) async throws -> Void
  ) async throws -> [DelegateRecorder.Event] {
    let recorder = DelegateRecorder()
    try await wire.serve { server, configuration async throws in
      configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
      let end = Reply(headers: ["Cache-Control": "max-age=60"], body: .text("x"), informational: [Reply.Informational(103)])
      server.enqueue(.redirect(to: "/end"), end)
      let session = URLSession(configuration: configuration)
      try await call(session, URLRequest(url: server.url()), recorder)
      session.invalidateAndCancel()
    }
    return recorder.milestones.map { event in
      // The port differs each time.
      if case .redirect(let status, _) = event { return .redirect(status: status, to: nil) }
      return event
    }
  }

  private let common: [DelegateRecorder.Event] = [
    .created, .redirect(status: 302, to: nil), .informational(status: 103), .willCache, .metrics(transactions: 2),
  ]

  @Test(arguments: Wire.allCases) func dataTellsItsDelegateAllButResponseDataAndEnd(_ wire: Wire) async throws {
    let told = try await milestones(wire) { session, request, delegate async throws in
      #expect(try await session.data(for: request, delegate: delegate).0 == Data("x".utf8))
    }
    #expect(told == common)
  }

  @Test(arguments: Wire.allCases) func bytesTellTheirDelegateTheSame(_ wire: Wire) async throws {
    let told = try await milestones(wire) { session, request, delegate async throws in
      let (bytes, _) = try await session.bytes(for: request, delegate: delegate)
      #expect(try await bytes.reduce(0) { sum, _ in sum + 1 } == 1)
    }
    #expect(told == common)
  }

  @Test(arguments: Wire.allCases) func downloadTellsItsDelegateTheSameButForTheCache(_ wire: Wire) async throws {
    let told = try await milestones(wire) { session, request, delegate async throws in
      let (file, _) = try await session.download(for: request, delegate: delegate)
      try FileManager.default.removeItem(at: file)
    }
    #expect(told == common.filter { $0 != .willCache })
  }

  @Test(arguments: Wire.allCases) func uploadTellsItsDelegateWhatWasSent(_ wire: Wire) async throws {
    let recorder = DelegateRecorder()
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(204))
      let session = URLSession(configuration: configuration)
      _ = try await session.upload(for: URLRequest("PUT", server.url()), from: Data(count: 10), delegate: recorder)
      session.invalidateAndCancel()
    }
    #expect(recorder.events == [.created, .sent(total: 10), .metrics(transactions: 1)])
  }
}
