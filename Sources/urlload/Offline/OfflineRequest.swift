import Foundation
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// Writes the request in the form of HTTP/1.1, and doesn't send it (`--offline`).
enum OfflineRequest {
  /// - Throws: If a URL can't be requested by HTTP, or the request can't be written.
  static func show(_ loads: [(url: String, plan: RequestPlan)], _ configuration: URLSessionConfiguration) throws(ToolFailure) -> ExitStatus
  {
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    for (url, plan) in loads {
      var request = try plan.request(for: url)
      if let url = request.url, let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty {
        request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
      }
      if let code = Descriptor.writeAll(try head(request, plan, session.headerDefaults), to: STDOUT_FILENO) {
        throw WriteFailure.failure("standard output", code)
      }
      try writeBody(request, plan)
    }
    return .success
  }

  private static func head(
    _ request: URLRequest, _ plan: RequestPlan, _ defaults: SessionHeaderDefaults
  ) throws(ToolFailure) -> Data {
    var load = request.load
    guard let target = load.target else {
      throw ToolFailure(.malformedURL, "\(Masking.url(request.url?.absoluteString ?? "")) isn't asked for by HTTP")
    }
    if case .none = load.body, plan.content != .none { load.mutate { $0.body = .data(Data(count: 1)) } }
    let outgoing: OutgoingHead
    do throws(LoadError) {
      outgoing = try DefaultHeaderRules.outgoing(load, target: target, defaults: defaults, bodyLength: plan.content.length)
    } catch {
      throw ToolFailure(.malformedURL, error.message)
    }
    let fields = outgoing.fields.entries.map { name, value in
      name == "Content-Length"
        ? plan.content.length.map { "\(name): \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n" : "\(name): \(value)\r\n"
    }
    return Data("\(load.method) \(target.pathAndQuery) HTTP/1.1\r\n\(fields.joined())\r\n".utf8)
  }

  private static func writeBody(_ request: URLRequest, _ plan: RequestPlan) throws(ToolFailure) {
    guard let stream = plan.makeStream() else { return }
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    var last: UInt8 = 0
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw ToolFailure(.readFailed, "what is to be sent can't be read; check the files' names") }
      if count == 0 { break }
      last = buffer[count - 1]
      if let code = Descriptor.writeAll(Data(buffer[..<count]), to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
    }
    if last != UInt8(ascii: "\n"), isatty(STDOUT_FILENO) == 1 { StandardOutput.line("") }
  }
}
