import LoadingModel
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct BoundConnectionsTests {
  private let destination = Destination(Origin(scheme: "http", host: "a.example", port: 80))

  private func idle(_ id: Int, _ holder: BoundAuthentication.Holder, in bound: BoundConnections) -> BoundAuthentication {
    let parts = ConnectionParts(
      id: id, destination: destination, timings: ConnectTimings(), clock: HTTP2ConnectionRig.Clock(), session: nil)
    let facts = ConnectionFacts(
      localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: nil, tlsCipherSuite: nil, isTLSResumed: false)
    let connection = HTTP1Connection(parts, facts, owner: nil)
    let authentication = BoundAuthentication(holder)
    bound.add(connection, authentication)
    #expect(bound.becameFree(connection, now: 1, isDraining: false) == .kept)
    return authentication
  }

  /// As at `flush`, which may come between two messages.
  @Test func authenticationUnderWayKeepsItsConnection() {
    let bound = BoundConnections()
    let begun = idle(1, .handshake, in: bound)
    let over = idle(2, .credential, in: bound)
    #expect(bound.retireSpare().map(\.id) == [2])
    #expect(bound.take(over, destination, .unasked) == nil)
    #expect(bound.take(begun, destination, .unasked)?.id == 1)
  }

  @Test func endOfTheSessionClosesEveryIdleConnection() {
    let bound = BoundConnections()
    let both = [idle(1, .handshake, in: bound), idle(2, .credential, in: bound)]
    #expect(Set(bound.retireFree().map(\.id)) == [1, 2])
    #expect(both.allSatisfy { bound.take($0, destination, .unasked) == nil })
  }
}
