import BackgroundTransfers
import Foundation
import LoadingModel

/// A command's connection to urlsessiond. Its calls block, and come from one thread.
final class DaemonConnection {
  /// Seconds to wait for a daemon that was started, and for one that was asked to end.
  private static let patience = 10.0
  /// Seconds to wait for one message of the daemon; a busy disk may delay it for long.
  private static let longestAnswer = 120.0

  /// Maximum number of attempts to get an answer: a daemon that is ending accepts connections until its end, and doesn't answer.
  private static let longestTrouble = 5

  private let places: BackgroundPlaces
  private let link: MessageLink
  private let inbox: DaemonInbox

  /// Connects to the daemon, and starts it if none runs.
  init(
    _ places: BackgroundPlaces, environment: [String: String] = ProcessEnvironment.variables
  ) throws(ToolFailure) {
    self.places = places
    do throws(Refusal) {
      link = try DaemonStarter(places: places, environment: environment).connect(patience: DaemonConnection.patience)
    } catch {
      throw ToolFailure(.cannotConnect, error.text)
    }
    let inbox = DaemonInbox()
    self.inbox = inbox
    link.start { messages in
      for message in messages {
        do throws(Refusal) {
          inbox.add(try MessageCoding.decode(DaemonMessage.self, from: message))
        } catch {
          inbox.end(ToolFailure(error))
        }
      }
    } ended: { end in
      inbox.end(DaemonConnection.failure(end))
    }
  }

  deinit { link.close() }

  /// The daemon's answer to questions that change nothing.
  ///
  /// If the daemon ends before it has answered, its successor is asked: an idle daemon may end just when it is asked, and one of an older version
  /// ends because of the question.
  static func answer<Answer>(
    _ places: BackgroundPlaces, _ ask: (DaemonConnection) throws(ToolFailure) -> Answer
  ) throws(ToolFailure) -> Answer {
    var attempts = 0
    while true {
      do throws(ToolFailure) {
        return try ask(DaemonConnection(places))
      } catch {
        attempts += 1
        guard error.status == .connectionLost, attempts < DaemonConnection.longestTrouble else { throw error }
      }
    }
  }

  /// A connection to a daemon of this version, for commands that change something: a question has made an older daemon end before.
  static func current(_ places: BackgroundPlaces) throws(ToolFailure) -> DaemonConnection {
    try answer(places) { daemon throws(ToolFailure) in
      _ = try daemon.log(nil, limit: 0)
      return daemon
    }
  }

  /// The failure that a refusal means. If the daemon is of an older version it is asked to end, so that the next attempt starts one of this version.
  func failure(_ refusal: Refusal) -> ToolFailure {
    switch refusal.reason {
    case .version, .badMessage:
      guard OlderDaemon.end(link.peer, version: refusal.version ?? 1, of: places) else { return ToolFailure(refusal) }
      awaitEnd(of: link.peer.process)
      return ToolFailure(.connectionLost, "urlsessiond is of an older version than urlload, and ends; try again")
    case .sessionInUse, .storage: return ToolFailure(refusal)
    }
  }

  /// Waits until the daemon has ended: until then it would accept further connections.
  private func awaitEnd(of daemon: pid_t) {
    let end = ContinuousClock.now + .seconds(DaemonConnection.patience)
    while OlderDaemon.holder(of: places.lock) == daemon, ContinuousClock.now < end { usleep(10_000) }
  }

  func send(_ message: AppMessage) throws(ToolFailure) {
    guard link.send(message) else {
      throw ToolFailure(.connectionLost, "urlsessiond can't be told: the connection has ended, or the request is larger than 16 MiB")
    }
  }

  /// The daemon's next message. Blocks.
  func next() throws(ToolFailure) -> DaemonMessage { try inbox.next(within: DaemonConnection.longestAnswer) }

  /// The next list after `watch` was sent. Blocks without limit of time.
  func nextList() throws(ToolFailure) -> [TransferListing] {
    while true {
      switch try inbox.next(within: nil) {
      case .tool(.transfers(let list)): return list
      case .refused(let refusal): throw failure(refusal)
      case .tool(.failed(let text)): throw ToolFailure(.other, text)
      default: continue
      }
    }
  }

  /// The daemon's answer to a request of `ToolRequest`; throws if the daemon refuses the connection.
  func reply() throws(ToolFailure) -> ToolReply {
    while true {
      switch try next() {
      case .tool(let reply): return reply
      case .refused(let refusal): throw failure(refusal)
      default: continue
      }
    }
  }

  func list() throws(ToolFailure) -> [TransferListing] {
    try send(.tool(.list))
    guard case .transfers(let list) = try successful(reply()) else { throw DaemonConnection.unexpected }
    return list
  }

  func log(_ transfer: Int64?, limit: Int) throws(ToolFailure) -> [LogLine] {
    try send(.tool(.log(transfer, limit: limit)))
    guard case .log(let lines) = try successful(reply()) else { throw DaemonConnection.unexpected }
    return lines
  }

  func status() throws(ToolFailure) -> DaemonStatus {
    try send(.tool(.status))
    guard case .status(let status) = try successful(reply()) else { throw DaemonConnection.unexpected }
    return status
  }

  private func successful(_ reply: ToolReply) throws(ToolFailure) -> ToolReply {
    if case .failed(let text) = reply { throw ToolFailure(.other, text) }
    return reply
  }

  private static let unexpected = ToolFailure(.other, "urlsessiond's answer makes no sense; it may be of another version than urlload")

  private static func failure(_ end: LinkEnd) -> ToolFailure {
    switch end {
    case .closed: ToolFailure(.connectionLost, "urlsessiond has ended the connection; try again")
    case .damaged(let text): ToolFailure(.badResponse, "urlsessiond's answer can't be read: \(text)")
    case .overfull: ToolFailure(.connectionLost, "urlsessiond doesn't read what it is sent")
    }
  }
}
