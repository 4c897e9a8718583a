import CLoadingProcess
@preconcurrency import Dispatch
import Foundation
import LoadingModel

/// The daemon's listening socket: accepts connections from processes of the daemon's own user.
///
/// Lives until `close`; one that was never started closes its socket with its last reference.
package final class MessageListener: Sendable {
  private static let acceptedPerTurn = 64
  /// Milliseconds until `accept` is tried again after descriptors or memory have run out.
  private static let pause = 100

  private enum Phase {
    case new
    case open(any DispatchSourceRead)
    case closed
  }

  private struct State {
    var phase = Phase.new
    var links = 0
    var linksOfProcess: [pid_t: Int] = [:]
  }

  private let descriptor: Int32
  /// The socket's file, which the listener removes on `close`; nil if a service manager has made it.
  private let file: SocketFile?
  private let queue = DispatchQueue(label: "urlsessiond.listener")
  private let state = Mutex(State())
  private let limits: ConnectionLimits
  private let budget: LinkBudget

  /// Makes a socket that only this user can connect to. An existing socket file is replaced: the caller holds the daemon's lock, so that no process
  /// listens there.
  ///
  /// - Throws: `.storage` if the path is too long, the file is no socket of this user, or the socket can't be made.
  package init(path: String, limits: ConnectionLimits = ConnectionLimits()) throws(Refusal) {
    self.limits = limits
    budget = LinkBudget(limit: limits.bytes)
    (descriptor, file) = try SocketFile.listen(LocalAddress(path))
  }

  /// - Parameter descriptor: A listening socket, which belongs to the listener from now on; its file doesn't, and isn't removed.
  package init(descriptor: Int32, limits: ConnectionLimits = ConnectionLimits()) {
    self.limits = limits
    budget = LinkBudget(limit: limits.bytes)
    self.descriptor = descriptor
    file = nil
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit {
    guard state.withLock({ if case .new = $0.phase { true } else { false } }) else { return }
    file?.remove()
    release()
  }

  /// The path that a listening socket has; nil if it has none.
  package static func path(of descriptor: Int32) -> String? { LocalAddress.path(of: descriptor) }

  /// Whether the socket's file still exists, by which apps find the listener: a runtime folder is removed with the user's last login session.
  package var isReachable: Bool { file?.isThere ?? true }

  /// Begins to accept connections. To be called once.
  /// - Parameter accepted: Called on the listener's queue for each connection; starts the link, or drops it.
  package func start(_ accepted: @escaping @Sendable (MessageLink) -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let isFirst = state.withLock { state in
      guard case .new = state.phase else { return false }
      state.phase = .open(source)
      return true
    }
    source.setEventHandler { [self] in acceptAll(source, accepted) }
    if isFirst { source.setCancelHandler { [self] in release() } }
    source.resume()
    if !isFirst { source.cancel() }
  }

  /// Stops accepting, and removes the socket's file. Accepted links go on.
  package func close() {
    let (source, wasNew): ((any DispatchSourceRead)?, Bool) = state.withLock { state in
      defer { state.phase = .closed }
      return switch state.phase {
      case .new: (nil, true)
      case .open(let source): (source, false)
      case .closed: (nil, false)
      }
    }
    guard wasNew || source != nil else { return }
    // The file is removed before the descriptor is closed: an app that finds no file starts a daemon, and one that is refused tries again.
    file?.remove()
    if wasNew { release() }
    source?.cancel()
  }

  private func release() { _ = Foundation.close(descriptor) }

  private func acceptAll(_ source: any DispatchSourceRead, _ accepted: @Sendable (MessageLink) -> Void) {
    for _ in 0..<MessageListener.acceptedPerTurn where !source.isCancelled {
      let connection = uls_local_accept(descriptor)
      if connection >= 0 {
        take(connection, accepted)
      } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
        // The connection stays in the socket's queue, which would be reported again at once: the source is suspended for a while.
        source.suspend()
        return queue.asyncAfter(deadline: .now() + .milliseconds(MessageListener.pause)) { source.resume() }
      } else if errno == EAGAIN {
        return
      }
    }
  }

  private func take(_ connection: Int32, _ accepted: @Sendable (MessageLink) -> Void) {
    guard let peer = LinkPeer(of: connection), peer.isOwnUser, reserve(peer.process) else {
      _ = Foundation.close(connection)
      return
    }
    accepted(MessageLink(descriptor: connection, peer: peer, budget: budget) { [self] in giveBack(peer.process) })
  }

  private func reserve(_ process: pid_t) -> Bool {
    state.withLock { state in
      guard state.links < limits.links, state.linksOfProcess[process, default: 0] < limits.linksOfProcess else { return false }
      state.links += 1
      state.linksOfProcess[process, default: 0] += 1
      return true
    }
  }

  private func giveBack(_ process: pid_t) {
    state.withLock { state in
      state.links -= 1
      let count = (state.linksOfProcess[process] ?? 1) - 1
      state.linksOfProcess[process] = count == 0 ? nil : count
    }
  }
}
