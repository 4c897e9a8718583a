import Foundation

/// Another process, perhaps another user's, that connects to a Unix-domain socket, sends bytes and waits for the first that comes back.
package enum LocalClient {
  package enum Answer: Sendable, Equatable {
    case answered
    /// The connection was closed without a byte.
    case closed
    case notConnected
    case failed
  }

  /// A server may have answered and closed the connection before the client writes; its answer is read nevertheless.
  private static let script = """
    $SIG{PIPE} = "IGNORE"; socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 3; connect(S, pack_sockaddr_un($ARGV[0])) or exit 4;
    syswrite(S, pack("H*", $ARGV[1] // "")); $n = sysread(S, $b, 100); exit($n ? 5 : 0);
    """

  /// Whether this process may start others as another user.
  package static let canChangeUser: Bool = {
    guard geteuid() == 0, let child = try? ChildProcess("setpriv", otherUser + ["true"], in: URL(filePath: "/")) else { return false }
    return child.wait() == 0
  }()

  private static let otherUser = ["--reuid=65534", "--regid=65534", "--clear-groups"]

  /// - Parameter isOtherUser: As `nobody`, who needs to be let through to the socket.
  package static func start(_ path: String, sending bytes: [UInt8], isOtherUser: Bool = false) throws -> ChildProcess {
    let hexadecimal = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let words = ["-MSocket", "-e", script.replacing("\n", with: " "), path, hexadecimal]
    let root = URL(filePath: "/")
    return isOtherUser ? try ChildProcess("setpriv", otherUser + ["perl"] + words, in: root) : try ChildProcess("perl", words, in: root)
  }

  package static func answer(_ client: ChildProcess) async -> Answer {
    switch await client.end() {
    case .exit(0): .closed
    case .exit(4): .notConnected
    case .exit(5): .answered
    default: .failed
    }
  }
}
