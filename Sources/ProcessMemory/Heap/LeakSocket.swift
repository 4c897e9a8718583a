import CLoadingTracing
import Foundation

/// The local socket to which processes report their start and end. It is in a folder that only the user can enter.
final class LeakSocket {
  /// A message from a process, as `CLoadingLeaks.h` describes it.
  struct Message {
    enum Kind: UInt64 {
      case started = 1
      case ending = 2
    }

    let process: Int32
    let kind: Kind
    /// The address of the process's record in its memory.
    let record: UInt64
    let status: Int32
  }

  /// The answer to `started` that makes a process record its blocks.
  static let wanted = UInt8(ascii: "y")

  let path: String
  let descriptor: Int32
  private let folder: String
  private static let answerSeconds = 10

  /// - Throws: A failure with the system's error number.
  init() throws(StoppedProcess.Failure) {
    // The path in a socket's address has at most 107 bytes, so a long temporary directory isn't used.
    let base = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array("\(base.utf8.count < 70 ? base : "/tmp")/urlload-leaks-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StoppedProcess.Failure(code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/socket"
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard bound == 0, listen(descriptor, 64) == 0 else {
      let code = errno
      throw StoppedProcess.Failure(code: code)
    }
  }

  deinit {
    close(descriptor)
    unlink(path)
    rmdir(folder)
  }

  /// Accepts a waiting connection, calls `body` with the process's message, and sends the byte that `body` returns. The process waits for this
  /// answer.
  func answer(_ body: (Message) -> UInt8) {
    var connection: Int32
    repeat { connection = accept(descriptor, nil, nil) } while connection < 0 && errno == EINTR
    guard connection >= 0 else { return }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    defer { close(connection) }
    var limit = timeval(tv_sec: LeakSocket.answerSeconds, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var words = [UInt64](repeating: 0, count: 5)
    var size = 0
    while size < 40 {
      let count = words.withUnsafeMutableBytes { recv(connection, $0.baseAddress.map { $0 + size }, $0.count - size, 0) }
      // A call with a timeout isn't restarted after a signal, so EINTR is handled here.
      if count > 0 { size += count } else if count == 0 || errno != EINTR { return }
    }
    let process = loading_leaks_peer(connection)
    guard process > 0, words[0] == BlockRecord.magic, words[1] == BlockRecord.version, let kind = Message.Kind(rawValue: words[2])
    else { return }
    var byte = body(Message(process: process, kind: kind, record: words[3], status: Int32(truncatingIfNeeded: words[4])))
    _ = send(connection, &byte, 1, Int32(MSG_NOSIGNAL))
  }
}
