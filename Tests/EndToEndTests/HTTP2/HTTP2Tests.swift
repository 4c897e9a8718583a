import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a session does with HTTP/2, and with HTTP/3 likewise, that it doesn't with HTTP/1.1.
@Suite(.timeLimit(.minutes(10))) struct HTTP2Tests {
  @Test func serverThatOffersHTTP2IsSpokenToInHTTP2() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
      let request = try #require(server.requests.first)
      #expect(request.version == "HTTP/2")
      #expect(request.connection.negotiatedProtocol == "h2")
      #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func loadsThatStartTogetherShareOneConnection(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/{n}") { .text($0.parameters["n"] ?? "") }
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for n in 0..<200 {
          group.addTask { try await session.text(from: server.url("/\(n)")).0 == "\(n)" }
        }
        for try await isRight in group { #expect(isRight) }
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func loadsBeyondTheServersLimitWaitForStreamsInOrderOfPriority(_ wire: Wire) async throws {
    try await wire.serve({ $0.maximumConcurrentStreams = 1 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/{n}", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      server.route("/settings", reply: .text("ok"))
      // The server's limit is known after its first answer.
      _ = try await session.data(from: server.url("/settings"))
      let held = Task { try await session.text(from: server.url("/held")).0 }
      try await gate.reached()
      let tasks = [0.25, 0.5, 0.75].map { priority in
        let task = session.dataTask(with: server.url("/\(priority)"))
        task.priority = Float(priority)
        task.resume()
        return task
      }
      try await session.lineUp()
      gate.open()
      #expect(try await held.value == "ok")
      _ = try await server.waitForRequest(5)
      #expect(tasks.count == 3)
      #expect(server.requests.map(\.path) == ["/settings", "/held", "/0.75", "/0.5", "/0.25"])
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func serverWithoutHTTP2StillGetsAConnectionPerLoad() async throws {
    try await Wire.tls.serve { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 4
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      let loads = (0..<10).map { _ in Task { try await session.text(from: server.url("/held")).0 } }
      try await gate.reached(4)
      #expect(server.acceptedConnections == 4)
      gate.open()
      for load in loads { #expect(try await load.value == "ok") }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: ["GET", "POST"], Wire.multiplexed)
  func refusedStreamIsSentAgainWhateverTheMethod(_ method: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("").with(.resetStream(code: 7)), .text("").with(.resetStream(code: 7)), .text("done"))
      let request = URLRequest(method, server.url(), body: method == "POST" ? Data("once".utf8) : nil)
      #expect(try await session.text(for: request).0 == "done")
      #expect(server.requestCount == 3)
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func requestThatWasRefusedMayFindItsConnectionDeadAsWell(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("").with(.resetStream(code: 7)), .text("").with(.disconnectBeforeHeaders), .text("done"))
      #expect(try await session.text(from: server.url()).0 == "done")
      #expect(server.requestCount == 3)
      #expect(server.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func serverThatRefusesWithoutEndIsNotAskedWithoutEnd(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("").with(.resetStream(code: 7)))
      #expect(await session.failure(of: server.url())?.code == .networkConnectionLost)
      #expect(server.requestCount == 6)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func loadThatTheLeavingServerDidNotTakeGoesOverAnotherConnection(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("first"), .text("").with(.goAway(isProcessed: false)), .text("done"))
      #expect(try await session.text(from: server.url()).0 == "first")
      #expect(try await session.text(for: URLRequest("POST", server.url(), body: Data("once".utf8))).0 == "done")
      #expect(server.requests.map(\.connection.ordinal) == [1, 1, 2])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func leavingServerFinishesWhatItHasTakenAndGetsNothingNew(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.enqueue(.text("whole").with(.goAway(isProcessed: true), .delayBeforeBody(gate)), .text("next"))
      let first = Task { try await session.text(from: server.url()).0 }
      try await gate.reached()
      #expect(try await session.text(from: server.url()).0 == "next")
      gate.open()
      #expect(try await first.value == "whole")
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
      session.invalidateAndCancel()
    }
  }

  @Test func serverThatWantsHTTP1GetsIt() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("").with(.resetStream(code: 13)))
      server.route("/", reply: .text("ok"))
      for _ in 0..<2 { #expect(try await session.text(for: URLRequest("POST", server.url(), body: Data("x".utf8))).0 == "ok") }
      #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1", "HTTP/1.1"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func misdirectedRequestIsSentOnceMoreOnAConnectionOfItsOwn(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("first"), Reply(421), .text("own"), .text("shared"))
      for expected in ["first", "own", "shared"] {
        #expect(try await session.text(for: URLRequest("POST", server.url(), body: Data("x".utf8))).0 == expected)
      }
      #expect(server.requests.map(\.connection.ordinal) == [1, 1, 2, 1])
      session.invalidateAndCancel()
    }
  }

  @Test func misdirectedRequestOnAFreshConnectionStands() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: Reply(421))
      #expect(try await session.text(from: server.url()).1.statusCode == 421)
      #expect(server.requestCount == 1)
      #expect(try await session.text(from: server.url()).1.statusCode == 421)
      #expect(server.requestCount == 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func cancelledLoadTakesNoOtherAlong(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      let cancelled = Task { try await session.data(from: server.url()) }
      let other = Task { try await session.text(from: server.url()).0 }
      try await gate.reached(2)
      cancelled.cancel()
      await #expect(throws: (any Error).self) { try await cancelled.value }
      gate.open()
      #expect(try await other.value == "ok")
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func resetSessionOpensAnewAndLetsTheRestFinish(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let gate = Gate()
      server.route("/held", reply: .text("ok").with(.delayBeforeHeaders(gate)))
      server.route("/", reply: .text("ok"))
      let held = Task { try await session.text(from: server.url("/held")).0 }
      try await gate.reached()
      await session.reset()
      #expect(try await session.text(from: server.url()).0 == "ok")
      gate.open()
      #expect(try await held.value == "ok")
      #expect(server.requests.map(\.connection.ordinal) == [1, 2])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func invalidatedSessionClosesItsConnections(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      _ = try await session.data(from: server.url())
      session.finishTasksAndInvalidate()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: Wire.multiplexed) func connectionTimesBelongToTheLoadThatOpenedIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      var transactions: [URLSessionTaskTransactionMetrics] = []
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      for _ in 0..<2 {
        let task = session.dataTask(with: server.url())
        task.resume()
        #expect(await recorder.completion(of: task) == nil)
        transactions.append(try #require(recorder.metrics?.transactionMetrics.first))
      }
      #expect(transactions.map(\.networkProtocolName) == [wire.protocolName, wire.protocolName])
      #expect(transactions.map(\.isReusedConnection) == [false, true])
      #expect(transactions.map { $0.secureConnectionEndDate != nil } == [true, false])
      #expect(transactions.map(\.isMultipath) == [false, false])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.multiplexed) func manyLoadsAtOnceToOneHostFinish(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      let url = server.url()
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<500 { group.addTask { try await session.data(from: url).0.count } }
        for try await count in group { #expect(count == 2) }
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  /// RFC 9113, 9.2.2.
  @Test(arguments: [("ECDHE-ECDSA-AES128-GCM-SHA256", "HTTP/2"), ("ECDHE-ECDSA-AES128-SHA", "HTTP/1.1")])
  func cipherSuiteThatIsTooWeakForHTTP2DoesForHTTP1(suite: String, version: String) async throws {
    try await Wire.h2.serve {
      $0.maximumTLSVersion = .tls12
      $0.cipherSuites = suite
    } _: { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.route("/", reply: .text("ok"))
      let loads = (0..<5).map { _ in Task { try await session.text(for: URLRequest("POST", server.url(), body: Data("x".utf8))).0 } }
      for load in loads { #expect(try await load.value == "ok") }
      #expect(Set(server.requests.map(\.version)) == [version])
      session.invalidateAndCancel()
    }
  }
}
