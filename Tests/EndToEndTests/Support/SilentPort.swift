import ChildProcesses
import Foundation

/// A port to which connecting neither succeeds nor fails: its queue is full.
final class SilentPort {
  private let port: ClosedPort
  private let fillers: [Int32]

  var number: Int { port.number }

  init() throws {
    let port = try ClosedPort()
    guard listen(port.descriptor, 0) == 0 else { throw CocoaError(.featureUnsupported) }
    fillers = (0..<4).map { _ in
      let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      _ = ClosedPort.withAddress(port.number) { connect(filler, $0, $1) }
      return filler
    }
    self.port = port
  }

  deinit { for filler in fillers { close(filler) } }
}
