import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Stream tasks to servers whose sockets and TLS others wrote.
@Suite(.timeLimit(.minutes(10))) struct InstalledStreamServerTests {
  private static let python = "/usr/bin/python3"
  private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

  /// Lines are echoed; STARTTLS changes to TLS (OpenSSL), EVIL sends something in the clear behind its consent, END ends this side only.
  private static let mail = """
    import os, socket, ssl, threading

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain("FOLDER/chain.pem", "FOLDER/key.pem")

    def talk(client):
        with client:
            client.sendall(b"220 ready\\r\\n")
            while True:
                line = b""
                while not line.endswith(b"\\n"):
                    byte = client.recv(1)
                    if not byte:
                        client.sendall(b"221 bye\\r\\n")
                        return
                    line += byte
                if line == b"STARTTLS\\r\\n":
                    client.sendall(b"220 go\\r\\n")
                    client = tls.wrap_socket(client, server_side=True)
                elif line.startswith(b"DATA "):
                    left = int(line[5:])
                    total = 0
                    while left > 0:
                        piece = client.recv(min(left, 65536))
                        left -= len(piece)
                        total = (total + sum(piece)) % 65521
                    client.sendall(b"250 %d\\r\\n" % total)
                elif line == b"END\\r\\n":
                    client.shutdown(socket.SHUT_WR)
                else:
                    client.sendall(b"250 " + line)

    server = socket.create_server(("127.0.0.1", PORT))
    with open("FOLDER/pid.new", "w") as file:
        file.write(str(os.getpid()))
    os.rename("FOLDER/pid.new", "FOLDER/pid")
    while True:
        threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()
    """

  @Test(.enabled(if: hasPython, "Python isn't installed"), arguments: [false, true])
  func exchangeWithPython(_ isSecured: Bool) async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue()
    let files = [
      "chain.pem": String(decoding: certificate.chainPEM, as: UTF8.self),
      "key.pem": String(decoding: certificate.privateKeyPEM, as: UTF8.self),
    ]
    let server = try await InstalledServer(Self.python, ["CONFIG"], configuration: Self.mail, files: files)
    defer { server.stop() }
    let recorder = StreamRecorder()
    let session = URLSession(configuration: .testing(trusting: authority), delegate: recorder, delegateQueue: nil)
    let task = session.streamTask(withHostName: "localhost", port: server.port)
    task.resume()
    #expect(try await task.text(atLeast: 11) == "220 ready\r\n")
    if isSecured {
      try await task.send("STARTTLS\r\n")
      #expect(try await task.text(atLeast: 8) == "220 go\r\n")
      task.startSecureConnection()
    }
    try await task.send("HELO\r\n")
    #expect(try await task.text(atLeast: 10) == "250 HELO\r\n")
    let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let total = content.reduce(0) { $0 + Int($1) } % 65521
    try await task.send("DATA \(content.count)\r\n")
    try await task.write(content, timeout: 0)
    let answer = "250 \(total)\r\n"
    #expect(try await task.text(atLeast: answer.utf8.count) == answer)
    if isSecured {
      // OpenSSL's Python binding ends TLS and TCP in one, without a closing alert.
      task.cancel()
    } else {
      task.closeWrite()
      #expect(try await task.textToEnd() == "221 bye\r\n")
      #expect(await recorder.completed().last == .completed(nil))
    }
    session.invalidateAndCancel()
  }
}
