import Foundation
import HTTPTransport
import ProtocolRules

// Delegate calls of a WebSocket task.

extension TaskLoad: WebSocketEvents {
  func webSocketOpened(subprotocol: String?) {
    guard chain.mayImplement(.didOpenWebSocket), let webSocketTask = task as? URLSessionWebSocketTask else { return }
    let (chain, session) = (chain, session)
    pump.post { chain.didOpen(session, webSocketTask, protocol: subprotocol) }
  }

  func webSocketWillClose(code: Int, reason: [UInt8]) {
    (task as? URLSessionWebSocketTask)?.noteClose(code: code, reason: Data(reason))
  }

  func webSocketClosed(by close: WebSocketClose) {
    guard chain.mayImplement(.didCloseWebSocket), let webSocketTask = task as? URLSessionWebSocketTask else { return }
    let (chain, session) = (chain, session)
    let code = URLSessionWebSocketTask.CloseCode(Int(close.code ?? 1005))
    let reason = close.reason.isEmpty ? nil : Data(close.reason)
    pump.post { chain.didClose(session, webSocketTask, code, reason: reason) }
  }
}
