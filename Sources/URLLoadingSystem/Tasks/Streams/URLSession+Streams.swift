import Foundation
import LoadingModel

extension URLSession {
  func makeStreamTask(_ host: String, _ port: Int) -> URLSessionStreamTask {
    let identifier = nextTaskIdentifier()
    let task = URLSessionStreamTask(session: self, identifier: identifier, request: nil, pump: nil)
    let address = LoadRequest.stream(host, port)
    task.fields.withLock { fields in
      fields.currentRequest = address
      if address.target == nil {
        fields.refusal = LoadError(
          .badURL, .admission, "“\(host)” and \(port) are no host name and port; a port is a number from 1 to 65535")
      }
    }
    if !registry.add(task) { task.refuse() }
    background?.admit(task, .delegate)
    announce(task)
    return task
  }
}

extension LoadRequest {
  /// A request whose URL has the host and port to connect to; its target is nil if they aren't valid.
  fileprivate static func stream(_ host: String, _ port: Int) -> LoadRequest {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    // RFC 3986, 3.2.2: IPv6 addresses are in brackets; RFC 6874: the % of a zone is escaped.
    let text = bare.contains(":") ? "[\(bare.replacing("%", with: "%25"))]" : bare
    guard 1...65535 ~= port, !bare.isEmpty, !bare.contains(where: { "/?#@".contains($0) }) else { return LoadRequest(url: nil) }
    return LoadRequest(url: URL(string: "\(Origin.streamScheme)://\(text):\(port)"))
  }
}
