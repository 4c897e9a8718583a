import LoadingModel
import NIOCore
import ProtocolRules

@testable import HTTPTransport
@testable import URLLoadingTestKit

/// A connection of HTTP/3 without packets: answers requests with status 200 until the test says otherwise.
final class ScriptedConnection: MultiplexedConnection, @unchecked Sendable {
  // @unchecked: confined to its event loop; what the test calls goes there.
  let id: Int
  let destination: Destination
  let timings: ConnectTimings
  private(set) var facts: ConnectionFacts = connected(from: "127.0.0.1")
  let peerAcceptance: PeerAcceptance
  private(set) var exchangeCount = 0
  private(set) var hasAnswered = false
  var reservedStreams = 0
  let protocolName = "h3"
  let maximumStreams: Int
  private(set) var isOpen = true
  let allowsExtendedConnect = false
  private let eventLoop: any EventLoop
  private weak var owner: (any AttemptOwner)?
  private var open: [Exchange] = []
  /// Whether requests get no answers by themselves.
  private var isSilent: Bool
  private let begun = Watched(0)

  init(
    _ attempt: ConnectAttempt, _ owner: any AttemptOwner, _ eventLoop: any EventLoop, _ acceptance: PeerAcceptance, _ streams: Int,
    isSilent: Bool
  ) {
    self.isSilent = isSilent
    id = attempt.id
    destination = attempt.destination
    timings = attempt.timings
    peerAcceptance = acceptance
    maximumStreams = streams
    self.eventLoop = eventLoop
    self.owner = owner
  }

  private static func connected(from address: String) -> ConnectionFacts {
    ConnectionFacts(
      localAddress: address, localPort: 50_001, remoteAddress: "192.0.2.1", remotePort: 443, tlsVersion: 0x0304, tlsCipherSuite: 0x1301,
      isTLSResumed: false)
  }

  // MARK: what the test says

  /// It migrates to this local address.
  func move(to address: String) async throws {
    try await eventLoop.submit {
      self.facts = ScriptedConnection.connected(from: address)
      self.owner?.connectionMoved(self)
    }.get()
  }

  /// Requests get no answers from now on.
  func fallSilent() async throws { try await eventLoop.submit { self.isSilent = true }.get() }

  /// Returns once so many requests have been sent.
  func received(_ count: Int) async throws { try await begun.wait { $0 >= count } }

  /// Requests so far.
  var requests: Int { begun.read(\.self) }

  /// GOAWAY: nothing new; what is open is refused.
  func goAway() async throws {
    try await eventLoop.submit {
      self.isOpen = false
      self.owner?.connectionGoesAway(self)
      self.failOpen(.refused)
      self.owner?.connectionClosed(self)
    }.get()
  }

  /// The connection is lost.
  func die(_ reason: LoadError.ResendReason? = nil) async throws { try await eventLoop.submit { self.lose(reason) }.get() }

  private func lose(_ reason: LoadError.ResendReason?) {
    guard isOpen else { return }
    isOpen = false
    owner?.connectionClosed(self)
    failOpen(reason)
  }

  private func failOpen(_ reason: LoadError.ResendReason?) {
    let failing = open
    open = []
    for exchange in failing {
      var error = LoadError(.networkConnectionLost, .head, "the connection has ended")
      error.resendReason = reason
      exchange.fail(error)
    }
  }

  // MARK: MultiplexedConnection

  var availableStreams: Int { isOpen ? maximumStreams - open.count : 0 }
  var openStreams: Int { open.count }

  func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    exchangeCount += 1
    open.append(exchange)
    begun.update { $0 += 1 }
    if !isSilent { eventLoop.execute { self.answer(exchange) } }
    return 1
  }

  private func answer(_ exchange: Exchange) {
    guard let index = open.firstIndex(where: { $0 === exchange }) else { return }
    open.remove(at: index)
    hasAnswered = true
    exchange.receive(head: ResponseHead(status: 200, headers: HeaderFields([])), framing: .none)
    exchange.detach()
    exchange.receiveEnd()
    owner?.connectionGainedStreams(self)
  }

  func close() { lose(nil) }
  func shutDown() { if open.isEmpty { lose(nil) } }
  func vouches(for host: String) -> Bool { host == "also.example.org" }
  func pathsVanished(_ addresses: Set<String>) {}
  func losePath(of isBarred: (ConnectionTerms) -> Bool) {
    let barred = open.filter { isBarred($0.context.terms) }
    open.removeAll { exchange in barred.contains { $0 === exchange } }
    for exchange in barred {
      var error = LoadError(.networkConnectionLost, .head, "the connection has moved")
      error.resendReason = .pathLost
      exchange.fail(error)
    }
  }

  func send(_ bytes: ByteBuffer, of exchange: Exchange) {}
  func send(_ part: FilePart, of exchange: Exchange) {}
  var takesFiles: Bool { false }
  func finish(_ exchange: Exchange, _ trailers: HeaderFields) {}
  func demand(_ exchange: Exchange) {}
  func cancel(_ exchange: Exchange) { open.removeAll { $0 === exchange } }
  func isWritable(_ exchange: Exchange) -> Bool { true }
}
