import Foundation

/// Ports in turn, of which this process has claimed a block: two that take their ports at the same time would take the same.
struct PortBlock {
  private static let first = 20_000
  private static let size = 500
  private static let count = 24

  /// A socket whose name says that the block is taken, until the process ends; nil before the first port.
  private var claim: Int32?
  private var block = 0
  private var offset = 0

  mutating func next() throws -> Int {
    if claim == nil { try take() }
    defer { offset = (offset + 1) % PortBlock.size }
    return PortBlock.first + block * PortBlock.size + offset
  }

  private mutating func take() throws {
    for number in 0..<PortBlock.count {
      let candidate = (Int(getpid()) + number) % PortBlock.count
      guard let taken = PortBlock.claim(candidate) else { continue }
      (claim, block) = (taken, candidate)
      return
    }
    throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "other processes of tests have taken all ports"])
  }

  /// Names without a file belong to the network namespace, as ports do.
  private static func claim(_ block: Int) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let name = Array("\0url-loading-tests-ports-\(block)".utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = MemoryLayout<sa_family_t>.size + name.count
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    if code == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}
