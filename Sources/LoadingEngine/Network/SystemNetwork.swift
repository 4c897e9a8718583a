import CLoadingShims
import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The networks of this machine: read where they are asked for, watched only while somebody listens.
package final class SystemNetwork: NetworkObserver {
  package static let shared = SystemNetwork()

  private enum Watch {
    case none
    case opening
    case open
    /// The kernel gives no socket: nothing will ever be reported.
    case impossible
  }

  private let watch = Mutex(Watch.none)
  private let listeners = NetworkListeners()

  package func conditions() async -> NetworkConditions {
    let reading = BlockingThreads.lookUps.runIfActive(eventLoop: EventLoops.shared.next()) { SystemNetwork.read() }
    return (try? await reading.get()) ?? NetworkConditions([])
  }

  package func observe(_ changed: @escaping @Sendable () -> Void) -> NetworkObservation {
    let observation = listeners.add(changed)
    let mustOpen = watch.withLock { watch in
      guard case .none = watch else { return false }
      watch = .opening
      return true
    }
    if mustOpen { open() }
    return observation
  }

  /// Opened once for the process: the kernel's messages are few, and only that there was one matters.
  private func open() {
    let descriptor = cls_network_watch_open()
    guard descriptor >= 0 else { return watch.withLock { $0 = .impossible } }
    NIOPipeBootstrap(group: EventLoops.shared)
      .channelInitializer { [listeners] channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ChangeHandler(listeners)) }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenComplete { [self] result in
        switch result {
        case .success: watch.withLock { $0 = .open }
        case .failure:
          close(descriptor)
          watch.withLock { $0 = .impossible }
        }
      }
  }

  /// Tells the listeners once for all the messages of one round of reading.
  private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let listeners: NetworkListeners

    init(_ listeners: NetworkListeners) { self.listeners = listeners }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelReadComplete(context: ChannelHandlerContext) { listeners.tell() }

    /// The kernel drops messages that aren't read in time (ENOBUFS): that there were some is all the same known.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { listeners.tell() }
  }

  // MARK: reading

  /// Blocks for a few files of the kernel's, and for NetworkManager's answer where it runs.
  static func read() -> NetworkConditions {
    let defaults = RouteTables.defaultInterfaces(v4: contents("/proc/net/route"))
      .union(RouteTables.defaultInterfaces(v6: contents("/proc/net/ipv6_route")))
    return NetworkConditions(
      addresses().map { name, found in
        let medium: NetworkConditions.Medium = found.isLoopback ? .loopback : medium(of: name)
        let isWay = defaults.contains(name)
        return NetworkConditions.Interface(
          name, medium, metering: isWay ? metering(of: name) : .unmetered, addresses: found.addresses, hasDefaultRoute: isWay)
      })
  }

  private static func contents(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  /// By interface, of those that are up.
  private static func addresses() -> [String: (isLoopback: Bool, addresses: Set<String>)] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [:] }
    defer { freeifaddrs(list) }
    var found: [String: (isLoopback: Bool, addresses: Set<String>)] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let flags = entry.ifa_flags
      guard flags & UInt32(IFF_UP) != 0, let name = entry.ifa_name else { continue }
      let isLoopback = flags & UInt32(IFF_LOOPBACK) != 0
      let text = entry.ifa_addr.flatMap(text)
      found[String(cString: name), default: (isLoopback, [])].addresses.formUnion(text.map { [$0] } ?? [])
    }
    return found
  }

  private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
    switch Int32(address.pointee.sa_family) {
    case AF_INET: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee).ipAddress }
    case AF_INET6: address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee).ipAddress }
    default: nil
    }
  }

  private static func medium(of name: String) -> NetworkConditions.Medium {
    let device = "/sys/class/net/\(name)"
    let kind = contents(device + "/uevent").split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
    switch kind {
    case "DEVTYPE=wwan": return .cellular
    case "DEVTYPE=wlan": return .wifi
    default: break
    }
    if FileManager.default.fileExists(atPath: device + "/phy80211") { return .wifi }
    // Drivers of modems that register no device type name their interfaces so.
    if name.hasPrefix("wwan") || name.hasPrefix("rmnet") { return .cellular }
    return FileManager.default.fileExists(atPath: device + "/device") ? .wired : .other
  }

  private static func metering(of name: String) -> NetworkConditions.Metering {
    switch cls_network_metering(name) {
    case 1: .declared
    case 3: .supposed
    default: .unmetered
    }
  }
}
