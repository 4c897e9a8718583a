import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server in Python that breaks the rules, a misdeed for each port (`Tests/Servers`), and a session that meets with them.
struct MisbehavingServer {
  /// Of the scripts' ports. Its own: a client of another test, whose server is gone, may still look for it at 127.0.0.1, and would be counted.
  private static let address = "127.0.0.3"

  /// What becomes of a load.
  enum Outcome: Equatable, Sendable {
    case body(String)
    case failed(URLError.Code)

    /// Whether it is that one; a body that ends in "…" is the beginning of one.
    func matches(_ expected: Outcome) -> Bool {
      guard case .body(let text) = self, case .body(let pattern) = expected, pattern.hasSuffix("…") else { return self == expected }
      return text.hasPrefix(pattern.dropLast())
    }

    static let parse = Outcome.failed(.cannotParseResponse)
    static let lost = Outcome.failed(.networkConnectionLost)
  }

  /// A misdeed, what the load that meets with it ends with, and what the next load is told: the number of its connection and what the client
  /// has said of errors. With "…" at its end, more may follow.
  struct Case: Sendable {
    let name: String
    let outcome: Outcome
    let next: String

    init(_ name: String, _ outcome: Outcome, _ next: String) { (self.name, self.outcome, self.next) = (name, outcome, next) }
  }

  let session: URLSession
  private let ports: [Substring: Substring]

  /// Runs `body` with the server that `script` is, run by `python`.
  static func with(
    _ python: String?, _ script: String, _ adjust: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (MisbehavingServer) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let own = try authority.issue(hosts: [address])
    let server = try await InstalledServer(
      #require(python), [script, "."], configuration: "",
      files: [
        "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
      ])
    defer { server.stop() }
    let lines = try String(contentsOf: server.folder.appending(path: "ports"), encoding: .utf8).split(separator: "\n")
    let ports = Dictionary(uniqueKeysWithValues: lines.map { $0.split(separator: " ") }.map { ($0[0], $0[1]) })
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    adjust(configuration)
    let session = URLSession(configuration: configuration)
    try await body(MisbehavingServer(session: session, ports: ports))
    session.invalidateAndCancel()
  }

  /// What the first load from the misdeed's port ends with, and what the next does.
  func meet(_ name: String, method: String = "GET", body: Data? = nil) async throws -> (first: Outcome, next: Outcome) {
    let port = try #require(ports[name[...]], "no misdeed is called \(name)")
    let url = try #require(URL(string: "https://\(Self.address):\(port)/"))
    return (await outcome(of: URLRequest(method, url, body: body)), await outcome(of: URLRequest(url: url)))
  }

  func check(_ cases: [Case], method: String = "GET", body: Data? = nil) async throws {
    for expected in cases {
      let (first, next) = try await meet(expected.name, method: method, body: body)
      #expect(first.matches(expected.outcome), "\(expected.name): \(first)")
      // A server that still sends when the client has closed may not read what the client sent.
      #expect(next.matches(.body(expected.next)), "\(expected.name): \(next)")
    }
  }

  private func outcome(of request: URLRequest) async -> Outcome {
    do {
      return .body(String(decoding: try await session.data(for: request).0, as: UTF8.self))
    } catch {
      return .failed((error as? URLError)?.code ?? .unknown)
    }
  }
}
