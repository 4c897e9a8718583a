#if TestKit
  import Foundation

  extension TestServer {
    /// The requests received so far, in the order in which their header fields arrived. The last ones may not have been received completely.
    public var requests: [RecordedRequest] { record.state.read(\.requests) }

    /// How many requests have arrived, including those beyond `Options.recordedRequestLimit`.
    public var requestCount: Int { record.state.read { $0.requests.count + $0.unrecorded } }

    /// How many connections have been accepted.
    public var acceptedConnections: Int { record.state.read(\.accepted) }

    /// How many connections are open.
    public var openConnections: Int { record.state.read(\.open) }

    /// How many exchanges are in progress: their request has begun, and neither have request and reply been completed nor has the exchange been
    /// broken off.
    public var openExchanges: Int { record.state.read(\.openExchanges) }

    /// How many requests weren't valid HTTP.
    public var malformedRequests: Int { record.state.read(\.malformedRequests) }

    /// How many connections ended before their TLS handshake was complete.
    public var failedHandshakes: Int { record.state.read(\.failedHandshakes) }

    /// How many bytes the server has written, to the operating system or to NIO's buffers, before encryption. It stops writing when the buffers are
    /// full, so this is little more than the clients have read.
    public var sentBytes: Int { record.sentBytes }

    /// The bytes that a raw connection has received, up to `Options.recordedBodyLimit`. The first connection has the ordinal 1.
    public func received(onConnection ordinal: Int = 1) -> Data { record.state.read { $0.received[ordinal] ?? Data() } }

    /// Returns request number `ordinal`, counted from 1, once it has been received completely.
    ///
    /// Throws `Failure.shutDown` if the server is shut down before, `CancellationError` if the task is cancelled.
    public func waitForRequest(_ ordinal: Int = 1) async throws -> RecordedRequest {
      try await request(ordinal) { $0.isComplete }
    }

    /// Returns request number `ordinal`, counted from 1, once its header fields have been received. Throws as `waitForRequest(_:)` does.
    public func waitForRequestHead(_ ordinal: Int = 1) async throws -> RecordedRequest {
      try await request(ordinal) { _ in true }
    }

    /// Returns once exactly `count` connections are open. Throws as `waitForRequest(_:)` does.
    public func waitForConnections(open count: Int) async throws {
      try await wait { $0.open == count }
    }

    /// Returns once at least `count` connections have been accepted. Throws as `waitForRequest(_:)` does.
    public func waitForConnections(accepted count: Int) async throws {
      try await wait { $0.accepted >= count }
    }

    /// Returns once exactly `count` exchanges are in progress. With 0, exchanges that were broken off have ended too: their streams over HTTP/2 and
    /// HTTP/3, their connections over HTTP/1. Throws as `waitForRequest(_:)` does.
    public func waitForExchanges(open count: Int) async throws {
      try await wait { $0.openExchanges == count }
    }

    /// Returns the bytes that a raw connection has received once there are at least `count`. Throws as `waitForRequest(_:)` does.
    public func waitForBytes(_ count: Int, onConnection ordinal: Int = 1) async throws -> Data {
      try await wait { ($0.received[ordinal]?.count ?? 0) >= count }
      return received(onConnection: ordinal)
    }

    private func request(_ ordinal: Int, _ isReady: @escaping @Sendable (RecordedRequest) -> Bool) async throws -> RecordedRequest {
      let index = max(1, ordinal) - 1
      try await wait { $0.requests.count > index && isReady($0.requests[index]) }
      return record.state.read { $0.requests[index] }
    }

    private func wait(until condition: @escaping @Sendable (ServerRecord.State) -> Bool) async throws {
      try await record.state.wait { $0.isShutDown || condition($0) }
      // The condition may have become false again by now, so only a shutdown without it is an error.
      if record.state.read({ $0.isShutDown && !condition($0) }) { throw Failure.shutDown }
    }
  }
#endif
