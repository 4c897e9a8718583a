import LoadingModel
import NIOCore
import ProtocolRules

// Receiving. Messages wait for the app's `receive`; once `inboxLimit` bytes wait, no more is read from the connection.

extension WebSocketSession {
  var isReading: Bool {
    switch phase {
    case .open, .closing: true
    case .connecting, .draining, .ended: false
    }
  }

  /// Sets the most bytes of a message; applies to messages that begin later.
  package func setMaximumMessageSize(_ size: Int) { reader.maximumMessageSize = size }

  /// Passes the next message to `received`, which is called once: immediately if a message waits.
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

  /// A callback on the delegate queue gets the message before anything that is told later; a Swift task (with a ticket) only when it runs.
  private func hand(_ message: WebSocketMessage, to receiver: Receiver) {
    isInHand = receiver.ticket != nil
    handedCount += 1
    receiver.received(.success(message))
  }

  /// Ends the wait of the caller with `ticket`, which gets the error `cancelled`.
  package func withdraw(_ ticket: ReceiveTicket) {
    ticket.isWithdrawn = true
    guard let index = receivers.firstIndex(where: { $0.ticket === ticket }) else { return }
    receivers.remove(at: index).received(.failure(.cancelled()))
  }

  /// Takes the events out of the received bytes, and waits while too many messages are unread.
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

  /// Gives the app up to `catchUpTimeout` to answer the messages that came before the peer's violation of the protocol; ends early when it asks for
  /// another message, as its answers have been sent by then.
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
      // The app has closed and its inbox is full: the message is dropped, as the peer's close frame may follow it.
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
