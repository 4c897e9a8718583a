import CLoadingDesktop
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix
import ProtocolRules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The networks of this machine. They are read when asked for, and observed only while there are observers.
package final class SystemNetwork: NetworkObserver {
  package static let shared = SystemNetwork()

  /// Whether the kernel's socket for changes has been opened. It is opened once for the process, and again after it has failed because changes
  /// came faster than they were read.
  private enum Watch {
    case none
    case begun
  }

  /// The callers of `conditions()` that wait for a reading of the networks, and whether one is under way.
  private struct Readers {
    var isRead = false
    var waiting: [UnsafeContinuation<NetworkConditions, Never>] = []
  }

  private let watch = Mutex(Watch.none)
  private let listeners = NetworkListeners()
  private let reading = AddressReading()
  private let found = Mutex(Found.unasked)
  private let readers = Mutex(Readers())

  /// The networks as read last. They aren't read before they are asked for, because NetworkManager takes time to answer.
  private enum Found {
    case unasked
    case asked
    case conditions(NetworkConditions)
  }

  /// The networks as read last; the first use begins to read them, and returns nil.
  package var known: NetworkConditions? {
    let (conditions, mustRead) = found.withLock { found -> (NetworkConditions?, Bool) in
      switch found {
      case .conditions(let conditions): return (conditions, false)
      case .asked: return (nil, false)
      case .unasked:
        found = .asked
        return (nil, true)
      }
    }
    if mustRead { BlockingThreads.networks.submit { [self] in read() } }
    return conditions
  }

  private var isAsked: Bool {
    found.withLock { if case .unasked = $0 { false } else { true } }
  }

  package func conditions() async -> NetworkConditions {
    await withUnsafeContinuation { continuation in
      let mustBegin = readers.withLock { readers in
        readers.waiting.append(continuation)
        defer { readers.isRead = true }
        return !readers.isRead
      }
      if mustBegin { BlockingThreads.networks.submit { [self] in answerAskers() } }
    }
  }

  /// Reads the networks, and answers the callers that had asked before the reading began; repeats while others have asked meanwhile. Many callers
  /// share one reading.
  private func answerAskers() {
    while true {
      let waiting = readers.withLock { readers in
        defer { readers.waiting = [] }
        if readers.waiting.isEmpty { readers.isRead = false }
        return readers.waiting
      }
      guard !waiting.isEmpty else { return }
      let conditions = read()
      for continuation in waiting { continuation.resume(returning: conditions) }
    }
  }

  package func observe(_ changed: @escaping @Sendable (NetworkNews) -> Void) -> NetworkObservation {
    let observation = listeners.add(changed)
    let mustOpen = watch.withLock { watch in
      defer { watch = .begun }
      return watch == .none
    }
    if mustOpen { open() }
    return observation
  }

  /// - Parameter pause: Seconds until the next attempt to open the socket; if that fails, twice as many, up to a minute.
  private func openAgain(after pause: Int64 = 1) {
    EventLoops.any().scheduleTask(in: .seconds(pause)) { [self] in open(after: pause) }
  }

  private func open(after pause: Int64 = 0) {
    let descriptor = uls_network_watch_open()
    guard descriptor >= 0 else { return openAgain(after: min(60, max(1, pause * 2))) }
    // The addresses before the first change are read now, because the caller is about to connect from one of them; the kernel answers at once. If
    // the socket is opened again, this finds the changes that were missed.
    if let news = reading.read(SystemNetwork.allAddresses) { listeners.tell(news) }
    if isAsked { lookAtAddresses() }
    NIOPipeBootstrap(group: EventLoops.any())
      .channelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ChangeHandler {
              self?.kernelReports($0)
            } ended: {
              self?.openAgain()
            })
        }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenFailure { [self] _ in
        close(descriptor)
        openAgain()
      }
  }

  private func kernelReports(_ concernsAddresses: Bool) {
    if concernsAddresses { lookAtAddresses() } else { listeners.tell(.ways) }
  }

  /// Reads the addresses and tells the listeners what has changed. Changes that are reported meanwhile, however many, lead to one more reading.
  private func lookAtAddresses() {
    guard reading.begin() else { return }
    BlockingThreads.networks.submit { [self] in
      repeat {
        if let news = reading.read(SystemNetwork.allAddresses) { listeners.tell(news) }
        // After the listeners have been told, because NetworkManager may take long to answer.
        if isAsked { read() }
      } while reading.mustReadAgain()
    }
  }

  /// The addresses at the last reading, and whether a reading is under way.
  private final class AddressReading: Sendable {
    private enum Progress {
      case none
      case reading
      /// A change has been reported since the reading began.
      case overtaken
    }

    private struct State {
      var progress = Progress.none
      var addresses: Set<String>?
    }

    private let state = Mutex(State())

    /// Whether the caller must read; if not, a reading is under way and will be repeated.
    func begin() -> Bool {
      state.withLock { state in
        defer { state.progress = state.progress == .none ? .reading : .overtaken }
        return state.progress == .none
      }
    }

    /// The difference to the last reading. nil at the first reading, and if the kernel gave no addresses: then none count as lost.
    func read(_ now: Set<String>?) -> NetworkNews? {
      guard let now else { return nil }
      return state.withLock { state in
        defer { state.addresses = now }
        return state.addresses.map { NetworkNews($0, now: now) }
      }
    }

    func mustReadAgain() -> Bool {
      state.withLock { state in
        defer { state.progress = state.progress == .overtaken ? .reading : .none }
        return state.progress == .overtaken
      }
    }
  }

  /// Reads the kernel's messages, and reports once for all messages of one read of the socket.
  private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let report: (Bool) -> Void
    private let ended: () -> Void
    private var concernsAddresses = false

    init(_ report: @escaping (Bool) -> Void, ended: @escaping () -> Void) { (self.report, self.ended) = (report, ended) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if !concernsAddresses { concernsAddresses = KernelMessages.concernAddresses(Array(unwrapInboundIn(data).readableBytesView)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      report(concernsAddresses)
      concernsAddresses = false
    }

    /// The kernel drops messages that aren't read in time (ENOBUFS), so that a change of addresses is reported. The channel closes then, and the
    /// socket is opened again.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { report(true) }

    func channelInactive(context: ChannelHandlerContext) { ended() }
  }

  // MARK: reading

  /// Reads the networks. Blocks for a few files of the kernel, and for NetworkManager's answer if that is running.
  @discardableResult private func read() -> NetworkConditions {
    guard let conditions = SystemNetwork.conditions() else { return known ?? NetworkConditions([]) }
    found.withLock { $0 = .conditions(conditions) }
    return conditions
  }

  /// nil if the kernel doesn't answer, for instance because the process has no file descriptor left: then the networks read before are kept.
  private static func conditions() -> NetworkConditions? {
    guard let addresses = addresses() else { return nil }
    let defaults = RouteTables.defaultInterfaces(v4: SystemFile.text("/proc/net/route") ?? "")
      .union(RouteTables.defaultInterfaces(v6: SystemFile.text("/proc/net/ipv6_route") ?? ""))
    return NetworkConditions(
      addresses.map { name, found in
        let medium: NetworkConditions.Medium = found.isLoopback ? .loopback : medium(of: name)
        let isWay = defaults.contains(name)
        return NetworkConditions.Interface(
          name, medium, metering: isWay ? metering(of: name) : .unmetered, addresses: found.addresses, hasDefaultRoute: isWay)
      })
  }

  /// The addresses of all interfaces; nil if the kernel doesn't answer.
  private static var allAddresses: Set<String>? { InterfaceAddress.all().map { Set($0.compactMap(\.address)) } }

  /// The addresses of each interface that is up; nil if the kernel doesn't answer.
  private static func addresses() -> [String: (isLoopback: Bool, addresses: Set<String>)]? {
    guard let entries = InterfaceAddress.all() else { return nil }
    var found: [String: (isLoopback: Bool, addresses: Set<String>)] = [:]
    for entry in entries {
      found[entry.interface, default: (entry.isLoopback, [])].addresses.formUnion(entry.address.map { [$0] } ?? [])
    }
    return found
  }

  private static func medium(of name: String) -> NetworkConditions.Medium {
    let device = "/sys/class/net/\(name)"
    let kind = SystemFile.text(device + "/uevent")?.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
    switch kind {
    case "DEVTYPE=wwan": return .cellular
    case "DEVTYPE=wlan": return .wifi
    default: break
    }
    if FileManager.default.fileExists(atPath: device + "/phy80211") { return .wifi }
    // Modem drivers that register no device type give their interfaces such names.
    if name.hasPrefix("wwan") || name.hasPrefix("rmnet") { return .cellular }
    return FileManager.default.fileExists(atPath: device + "/device") ? .wired : .other
  }

  private static func metering(of name: String) -> NetworkConditions.Metering {
    switch uls_network_metering(name) {
    case 1: .declared
    case 3: .supposed
    default: .unmetered
    }
  }
}
