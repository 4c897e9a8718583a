import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Scripts of exact FTP replies, and servers that follow them: they run everywhere.
enum FTPScript {
  static let login: [RawStep] = greeting() + answer("USER anonymous", "331 password") + answer("PASS anonymous@", "230 welcome")

  static func greeting(_ text: String = "220 ready") -> [RawStep] { [.send(text + "\r\n")] }

  static func answer(_ command: String, _ reply: String) -> [RawStep] { [.read(until: command + "\r\n"), .send(reply + "\r\n")] }

  /// An anonymous user that fetches "a.txt", up to the command that asks for the port for data.
  static func finding(_ size: Int, changed: String = "19941106084937") -> [RawStep] {
    login + answer("TYPE I", "200 ok") + answer("SIZE a.txt", "213 \(size)") + answer("MDTM a.txt", "213 \(changed)")
  }

  static func passive(_ port: Int) -> [RawStep] { answer("EPSV", "229 ok (|||\(port)|)") }

  /// An anonymous user that fetches "a.txt".
  static func retrieving(_ size: Int, _ port: Int, resume: [RawStep] = [], end: String = "226 done") -> [RawStep] {
    finding(size) + passive(port) + resume + answer("RETR a.txt", "150 here\r\n\(end)")
  }

  /// An anonymous user that stores "b.txt".
  static func storing(_ port: Int, end: [RawStep]) -> [RawStep] {
    login + answer("TYPE I", "200 ok") + passive(port) + answer("STOR b.txt", "150 go") + end
  }

  /// What a test has at hand.
  struct Ground {
    let server: TestServer
    let data: TestServer
    let url: URL
    let session: URLSession

    var file: URL { url.appending(path: "a.txt") }
  }

  /// Runs `body` with servers whose control and data connections follow these scripts, one after another.
  ///
  /// - Parameter control: Given the port for data.
  static func serve(
    data: [[RawStep]], control: @escaping (Int) -> [[RawStep]], configuration: URLSessionConfiguration = .testing(),
    _ body: (Ground) async throws -> Void
  ) async throws {
    var options = TestServer.Options.rawInTurn(data)
    options.sendBufferSize = 65_536
    // What the kernel takes for a server that reads nothing would pass for sent.
    options.receiveBufferSize = 65_536
    try await TestServer.with(options) { dataServer async throws in
      let port = try #require(dataServer.url().port)
      try await TestServer.with(.rawInTurn(control(port))) { server async throws in
        let session = URLSession(configuration: configuration)
        let url = try #require(URL(string: "ftp://127.0.0.1:\(server.url().port ?? 0)/"))
        try await body(Ground(server: server, data: dataServer, url: url, session: session))
        session.invalidateAndCancel()
      }
    }
  }
}
