import LoadingModel
import NIOCore
import ProtocolRules

// Messages wait for `receive`, and the connection for the messages: without a `receive` nothing more is read.

extension WebSocketSession {
  var isReading: Bool {
    switch phase {
    case .open, .closing: true
    case .connecting, .draining, .ended: false
    }
  }

  /// Bytes of a message at most; it counts from the next message.
  package func setMaximumMessageSize(_ size: Int) { reader.maximumMessageSize = size }

  /// Hands the next message to `received`, which is called once; at once if there is one.
  package func receive(_ ticket: ReceiveTicket? = nil, _ received: @escaping Received) {
    (hasAsked, isInHand) = (true, false)
    if let message = inbox.popFirst() {
      inboxBytes -= message.bytes.readableBytes + WebSocketSession.messageOverhead
      if inboxBytes <= WebSocketSession.inboxLimit / 2 { makeRoom() }
      hand(message, to: Receiver(ticket: ticket, received: received))
      return holdEnd()
    }
    if ticket?.isWithdrawn == true { return received(.failure(.cancelled())) }
    tellEnd()
    switch phase {
    case .connecting, .open, .closing:
      receivers.append(Receiver(ticket: ticket, received: received))
      makeRoom()
    case .draining(let error): received(.failure(error ?? .notConnected))
    case .ended(let error): received(.failure(error))
    }
  }

  /// What is called back on the delegate queue gets it before all that is told later; a Swift task does when it runs.
  private func hand(_ message: WebSocketMessage, to receiver: Receiver) {
    isInHand = receiver.ticket != nil
    handedCount += 1
    receiver.received(.success(message))
  }

  /// The caller that waits with `ticket` waits no longer.
  package func withdraw(_ ticket: ReceiveTicket) {
    ticket.isWithdrawn = true
    guard let index = receivers.firstIndex(where: { $0.ticket === ticket }) else { return }
    receivers.remove(at: index).received(.failure(.cancelled()))
  }

  /// Reads events out of what has arrived; waits while the messages aren't received.
  func takeIn() async {
    while isReading {
      do throws(WebSocketViolation) {
        guard let event = try reader.next() else { return }
        take(event)
      } catch {
        await letAppCatchUp()
        guard isReading else { return }
        return fail(error)
      }
      while inboxBytes >= WebSocketSession.inboxLimit, case .open = phase {
        await withUnsafeContinuation { room = $0 }
      }
    }
  }

  /// The peer has broken the rules behind messages that the app may be about to answer: the answers leave first, if they come soon. They
  /// have come when the app asks for another message.
  private func letAppCatchUp() async {
    guard messageCount > 0, let clock = context?.clock else { return }
    let end = clock.now.advanced(bySeconds: WebSocketSession.catchUpTimeout)
    plan(after: WebSocketSession.catchUpTimeout) { [weak self] in self?.makeRoom() }
    while receivers.isEmpty, case .open = phase, clock.now < end {
      await withUnsafeContinuation { room = $0 }
    }
    if isReading { pump() }
  }

  private func take(_ event: WebSocketReader.Event) {
    switch event {
    case .message(let message):
      messageCount += 1
      context?.contents?.exchanged(ObservedMessage(isSent: false, isText: message.kind == .text, bytes: message.bytes))
      if let receiver = receivers.popFirst() { return hand(message, to: receiver) }
      // The peer's close frame is behind messages that won't be received.
      if case .closing = phase, inboxBytes >= WebSocketSession.inboxLimit { return }
      inbox.append(message)
      inboxBytes += message.bytes.readableBytes + WebSocketSession.messageOverhead
    case .ping(let payload):
      if pongs.count == WebSocketSession.pongLimit { pongs.removeFirst() }
      pongs.append(payload)
      planPump()
    case .pong(let payload): answered(payload)
    case .close(let close): closed(by: close)
    }
  }

  func makeRoom() {
    guard let room else { return }
    self.room = nil
    room.resume()
  }

  func dropInbox() {
    inbox = CircularBuffer(initialCapacity: 1)
    inboxBytes = 0
  }

  func failReceiving(_ error: LoadError) {
    while let receiver = receivers.popFirst() { receiver.received(.failure(error)) }
  }
}

/// Withdraws a waiting `receive`. Confined to the event loop of its session.
package final class ReceiveTicket: @unchecked Sendable {
  // @unchecked: made by the caller on any thread; `isWithdrawn` is confined to the session's event loop.
  fileprivate var isWithdrawn = false
  package init() {}
}
