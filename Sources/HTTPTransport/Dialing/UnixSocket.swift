import LoadingModel
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Connects to Unix sockets without NIO, which supports neither abstract sockets nor explains why connecting failed.
enum UnixSocket {
  /// Bytes of a path, as `sun_path` has 108 with the zero at its end (unix(7)).
  private static let pathLimit = 107

  /// The result of connect(2), where it didn't fail.
  enum Outcome {
    /// The connected socket, which the caller has to close.
    case connected(CInt)
    /// The server's backlog is full (EAGAIN): connecting may succeed later.
    case full
  }

  /// - Parameter path: A path, or "@" and the name of an abstract socket.
  static func connect(_ path: String) throws(LoadError) -> Outcome {
    var (address, length) = try address(of: path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw TransportErrors.posix(IOError(errnoCode: errno, reason: "socket"), .connect) }
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connectSocket(descriptor, $0, length) }
    }
    let code = errno
    guard result != 0 else { return .connected(descriptor) }
    close(descriptor)
    if code == EAGAIN { return .full }
    throw failure(path, code)
  }

  /// The address of a path or an abstract name, with its length. An abstract name ends where the length says, so no zero may follow it.
  private static func address(of path: String) throws(LoadError) -> (sockaddr_un, socklen_t) {
    let isAbstract = path.utf8.first == UInt8(ascii: "@")
    let bytes = isAbstract ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    guard bytes.count > (isAbstract ? 1 : 0), isAbstract || !bytes.contains(0) else {
      throw LoadError(.badURL, .connect, "the Unix socket has no name; give its path, or @ and the name of an abstract socket")
    }
    guard bytes.count <= pathLimit else {
      throw LoadError(
        .badURL, .connect,
        "the path of the Unix socket “\(path)” is too long: it has \(bytes.count) bytes, and the system takes \(pathLimit); use a shorter one, "
          + "such as a symbolic link", posixCode: ENAMETOOLONG)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return (address, socklen_t(start + bytes.count + (isAbstract ? 0 : 1)))
  }

  private static func failure(_ path: String, _ code: CInt) -> LoadError {
    let text: String
    switch code {
    case ENOENT, ENOTDIR: text = "there is no Unix socket at “\(path)”; check the path, and that the server is running"
    case EACCES, EPERM:
      text = "this user may not connect to the Unix socket “\(path)”; check its permissions and its folder's, or join its group"
    case ECONNREFUSED where path.utf8.first == UInt8(ascii: "@"):
      text = "there is no abstract Unix socket “\(path)”; check the name, and that the server is running"
    case ECONNREFUSED where !isSocket(path): text = "“\(path)” is no socket; check the path"
    case ECONNREFUSED: text = "no server listens on the Unix socket “\(path)”; check that it is running"
    case EPROTOTYPE: text = "the Unix socket “\(path)” isn't for streams; check the path"
    default: text = "connecting to the Unix socket “\(path)” failed (\(String(cString: strerror(code))))"
    }
    return LoadError(.cannotConnectToHost, .connect, text, posixCode: code)
  }

  private static func isSocket(_ path: String) -> Bool {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return true }
    return facts.st_mode & S_IFMT == S_IFSOCK
  }
}

/// Calls connect(2). A global function, as in `UnixSocket` and `LoopbackSocket` their own method `connect` hides it.
func connectSocket(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
  connect(descriptor, address, length)
}
