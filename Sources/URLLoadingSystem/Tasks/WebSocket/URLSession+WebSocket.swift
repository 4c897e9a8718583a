import Foundation
import LoadingModel
import ProtocolRules

extension URLSession {
  func makeWebSocketTask(_ request: LoadRequest, protocols: [String] = []) -> URLSessionWebSocketTask {
    var request = request
    request.mutate { fields in
      // RFC 6455, 4.1, 2: "The method of the request MUST be GET".
      fields.method = "GET"
      fields.body = .none
    }
    let identifier = nextTaskIdentifier()
    let task = URLSessionWebSocketTask(session: self, identifier: identifier, request: request, protocols: protocols)
    if let refusal = WebSocketHandshake.refusal(of: protocols) { task.fields.withLock { $0.refusal = refusal } }
    if !registry.add(task) { task.refuse() }
    background?.admit(task, .delegate)
    announce(task)
    return task
  }
}
