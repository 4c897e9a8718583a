import Foundation
import LoadingModel

/// Formats metrics as text, one line for each transaction. Without state or side effects.
enum MetricsText {
  /// A duration as text, such as "1.234 s" or "12.3 ms".
  static func duration(_ seconds: Double) -> String {
    seconds >= 1 ? String(format: "%.3f s", seconds) : String(format: "%.1f ms", seconds * 1000)
  }

  static func line(_ record: TransactionRecord) -> String {
    var parts = ["\(record.request.method) \(url(record)) -> \(outcome(record))"]
    parts.append(contentsOf: source(record))
    let phases: [(String, Instant?, Instant?)] = [
      ("lookup", record.domainLookupStart, record.domainLookupEnd),
      ("connect", record.connectStart, record.connectEnd),
      ("tls", record.secureConnectionStart, record.secureConnectionEnd),
      ("request", record.requestStart, record.requestEnd),
      ("wait", record.requestEnd, record.responseStart),
      ("response", record.responseStart, record.responseEnd),
    ]
    for (name, start, end) in phases {
      if let start, let end { parts.append("\(name) \(duration(end.seconds(since: start)))") }
    }
    parts.append("sent \(record.requestHeaderBytes)+\(record.requestBodyBytes) B")
    parts.append("received \(record.responseHeaderBytes)+\(record.responseBodyBytes) B")
    return parts.joined(separator: ", ")
  }

  /// Scheme, authority and path of the request's URL: without user, password and query, which don't belong in logs.
  private static func url(_ record: TransactionRecord) -> String {
    guard let target = record.request.target else { return record.request.url?.scheme.map { $0 + ":" } ?? "no URL" }
    let path = target.pathAndQuery.prefix { $0 != "?" }
    return "\(target.origin.scheme)://\(target.authority)\(path)"
  }

  private static func outcome(_ record: TransactionRecord) -> String {
    guard let response = record.response else { return "no response" }
    return response.httpHead.map { String($0.status) } ?? "response"
  }

  private static func source(_ record: TransactionRecord) -> [String] {
    switch record.fetchType {
    case .localCache: return ["local cache"]
    case .serverPush: return ["server push"]
    case .unknown: return []
    case .networkLoad: break
    }
    var text = [record.networkProtocolName ?? "network"]
    let kind = record.isReusedConnection ? "reused connection" : "new connection"
    if let address = record.connection?.remoteAddress, let port = record.connection?.remotePort {
      text.append("\(kind) to \(address) port \(port)")
    } else {
      text.append(kind)
    }
    if record.isProxyConnection { text.append("through a proxy") }
    return text
  }
}
