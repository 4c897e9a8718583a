import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// WebSockets of servers that others wrote.
@Suite(.timeLimit(.minutes(10))) struct InstalledWebSocketServerTests {
  private static let python = "/usr/bin/python3"

  /// Whether Python's package `websockets` (Debian's python3-websockets) is installed.
  private static let hasWebsockets =
    FileManager.default.isExecutableFile(atPath: python)
    && ["/usr/lib/python3/dist-packages/websockets", "/usr/local/lib/python3/dist-packages/websockets"].contains {
      FileManager.default.fileExists(atPath: $0)
    }

  private static let echo = """
    import asyncio, os, websockets

    async def echo(socket, path=None):
        async for message in socket:
            await socket.send(message)

    async def main():
        async with websockets.serve(echo, "127.0.0.1", PORT, max_size=1 << 24, subprotocols=["b", "a"], compression="deflate"):
            with open("FOLDER/pid.new", "w") as file:
                file.write(str(os.getpid()))
            os.rename("FOLDER/pid.new", "FOLDER/pid")
            await asyncio.Future()

    asyncio.run(main())
    """

  @Test(.enabled(if: hasWebsockets, "Python's package websockets isn't installed"))
  func pythonsWebsocketsEchoesWithCompression() async throws {
    let server = try await InstalledServer(Self.python, ["CONFIG"], configuration: Self.echo, files: [:])
    defer { server.stop() }
    let recorder = WebSocketRecorder()
    let configuration = URLSessionConfiguration.testing()
    configuration.webSocketCompression = .offered
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    let url = try #require(URL(string: "ws://127.0.0.1:\(server.port)/"))
    let task = session.webSocketTask(with: url, protocols: ["a", "c"])
    task.maximumMessageSize = 1 << 24
    task.resume()
    let text = String(repeating: "naïve 😀 ", count: 5000)
    for _ in 0..<3 {
      try await task.send(.string(text))
      #expect(try await task.receive().text == text)
    }
    let noise = Data((0..<3_000_000).map { _ in UInt8.random(in: .min ... .max) })
    try await task.send(.data(noise))
    #expect(try await task.receive().data == noise)
    let http = try #require(task.response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "Sec-WebSocket-Extensions")?.hasPrefix("permessage-deflate") == true)
    let ponged = Signal()
    task.sendPing { error in
      #expect(error == nil)
      ponged.send()
    }
    await ponged.wait()
    task.cancel(with: .normalClosure, reason: Data("done".utf8))
    #expect(await recorder.completed() == [.opened("a"), .closed(1000, "done"), .completed(nil)])
    session.invalidateAndCancel()
  }

  @Test(.enabled(if: InstalledServer.find("nginx") != nil, "nginx isn't installed"))
  func nginxPassesWebSocketsOn() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let configuration = """
        listen 127.0.0.1:PORT;
        location / {
          proxy_pass http://127.0.0.1:\(bench.server.port);
          proxy_http_version 1.1;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection "upgrade";
        }
        """
      let proxy = try await InstalledServer.nginx(configuration, files: ["root/x": ""])
      defer { proxy.stop() }
      let url = try #require(URL(string: "ws://127.0.0.1:\(proxy.port)/socket"))
      let task = bench.session.webSocketTask(with: url)
      task.resume()
      try await task.send(.string("through"))
      #expect(try await task.receive().text == "through")
      task.cancel(with: .normalClosure, reason: nil)
      #expect(await bench.recorder.completed() == [.opened(nil), .closed(1000, nil), .completed(nil)])
    }
  }

  private static let hasApache = ["http2", "ssl", "proxy", "proxy_http"].allSatisfy { InstalledServer.hasApache(with: $0) }

  @Test(.enabled(if: hasApache, "Apache isn't installed, or lacks modules"))
  func apacheTakesWebSocketsOnAStreamOfHTTP2() async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      let configuration = """
        Protocols h2 http/1.1
        H2WebSockets on
        SSLEngine on
        SSLCertificateFile FOLDER/server.pem
        SSLCertificateKeyFile FOLDER/server.key
        ProxyPass /socket http://127.0.0.1:\(bench.server.port)/socket upgrade=websocket
        """
      let authority = try TestCertificateAuthority()
      let own = try authority.issue()
      let server = try await InstalledServer.apache(
        ["http2", "ssl", "proxy", "proxy_http"], configuration,
        files: [
          "server.pem": String(decoding: own.chainPEM, as: UTF8.self), "server.key": String(decoding: own.privateKeyPEM, as: UTF8.self),
          "root/x": "small",
        ])
      defer { server.stop() }
      let recorder = WebSocketRecorder()
      let session = URLSession(configuration: .testing(trusting: authority), delegate: recorder, delegateQueue: nil)
      let root = "127.0.0.1:\(server.port)"
      #expect(try await session.text(from: #require(URL(string: "https://\(root)/x"))).0 == "small")
      let task = session.webSocketTask(with: try #require(URL(string: "wss://\(root)/socket")))
      task.resume()
      for size in [0, 10, 100_000, 1_000_000] {
        let message = Data(repeating: 7, count: size)
        try await task.send(.data(message))
        let isSame = try await task.receive().data == message
        #expect(isSame)
      }
      #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
      #expect(try await session.text(from: #require(URL(string: "https://\(root)/x"))).0 == "small")
      task.cancel(with: .normalClosure, reason: nil)
      #expect(await recorder.completed().suffix(2) == [.closed(1000, nil), .completed(nil)])
      session.invalidateAndCancel()
    }
  }
}
