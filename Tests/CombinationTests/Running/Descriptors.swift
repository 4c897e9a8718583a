import Foundation

/// The sockets of the Internet that this process holds: connected or not, in the system's tables or not.
enum Descriptors {
  static var sockets: Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.count { descriptor in
      var domain: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 else { return false }
      return domain == AF_INET || domain == AF_INET6
    }
  }

  /// Waits until no more than `count` are held, for so many seconds at most; returns how many are too many.
  static func surplus(over count: Int, seconds: Int) async -> Int {
    let end = ContinuousClock.now + .seconds(seconds)
    while sockets > count, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    return max(0, sockets - count)
  }
}
