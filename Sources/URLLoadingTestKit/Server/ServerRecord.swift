#if TestKit
  import Foundation
  import struct Synchronization.Atomic
  import NIOCore
  import LoadingModel

  /// The record of a server's requests, connections and bytes. Written on the server's event loop, read by tests from any thread.
  final class ServerRecord: Sendable {
    struct State: Sendable {
      var requests: [RecordedRequest] = []
      /// The number of requests that weren't recorded because the limit was reached.
      var unrecorded = 0
      var accepted = 0
      var open = 0
      var openExchanges = 0
      var malformedRequests = 0
      var failedHandshakes = 0
      /// The bytes that raw connections have received, by the connection's ordinal.
      var received: [Int: Data] = [:]
      var isShutDown = false
    }

    let state = Watched(State())
    private let limits: TestServer.Options
    private let sent = Atomic<Int>(0)
    private let connections = Mutex<[Int: any ServedConnection]>([:])

    init(_ options: TestServer.Options) { limits = options }

    var sentBytes: Int { sent.load(ordering: .relaxed) }
    func addSent(_ count: Int) { sent.add(count, ordering: .relaxed) }

    var bodyLimit: Int { limits.recordedBodyLimit }

    /// Registers a connection that was just accepted; returns its ordinal, 1 for the first.
    func accept(_ connection: any ServedConnection) -> Int {
      let ordinal = state.update { state in
        state.accepted += 1
        state.open += 1
        return state.accepted
      }
      connections.withLock { $0[ordinal] = connection }
      return ordinal
    }

    func closed(_ ordinal: Int) {
      connections.withLock { _ = $0.removeValue(forKey: ordinal) }
      state.update { $0.open -= 1 }
    }

    var openConnections: [any ServedConnection] { connections.withLock { Array($0.values) } }

    /// Records `request` and returns its index in the record; nil if the record is full.
    func begin(_ request: RecordedRequest) -> Int? {
      state.update { state in
        state.openExchanges += 1
        guard state.requests.count < limits.recordedRequestLimit else {
          state.unrecorded += 1
          return nil
        }
        state.requests.append(request)
        return state.requests.count - 1
      }
    }

    func replace(_ place: Int?, by request: RecordedRequest) {
      guard let place else { return }
      state.update { $0.requests[place] = request }
    }

    /// Called at the end of an exchange that `begin` registered.
    func exchangeEnded() { state.update { $0.openExchanges -= 1 } }

    func received(_ bytes: ByteBuffer, on ordinal: Int) {
      state.update { state in
        let room = bodyLimit - (state.received[ordinal]?.count ?? 0)
        guard room > 0 else { return }
        state.received[ordinal, default: Data()].append(contentsOf: bytes.readableBytesView.prefix(room))
      }
    }
  }
#endif
