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

/// The networks of this machine: read where they are asked for, watched only while there are observers.
package final class SystemNetwork: NetworkObserver {
  package static let shared = SystemNetwork()

  /// Opened once for the process, and again when it ends: the kernel's socket fails where changes come faster than they are read.
  private enum Watch {
    case none
    case begun
  }

  /// The loads that wait to hear what networks there are.
  private struct Readers {
    var isRead = false
    var waiting: [UnsafeContinuation<NetworkConditions, Never>] = []
  }

  private let watch = Mutex(Watch.none)
  private let listeners = NetworkListeners()
  private let reading = AddressReading()
  private let found = Mutex(Found.unasked)
  private let readers = Mutex(Readers())

  /// What is known of the networks. It isn't read before it is asked for: NetworkManager takes time to answer.
  private enum Found {
    case unasked
    case asked
    case conditions(NetworkConditions)
  }

  /// The first time it is asked for, it is read.
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

  /// Reads again as long as loads have asked since the last reading began: many of them share one reading.
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

  /// - Parameter pause: Seconds until then; twice as many where that fails, up to a minute.
  private func openAgain(after pause: Int64 = 1) {
    EventLoops.any().scheduleTask(in: .seconds(pause)) { [self] in open(after: pause) }
  }

  private func open(after pause: Int64 = 0) {
    let descriptor = uls_network_watch_open()
    guard descriptor >= 0 else { return openAgain(after: min(60, max(1, pause * 2))) }
    // What the addresses were before the first change: now, for the caller is about to connect from one of them. The kernel answers at
    // once. When it is opened again, what has changed meanwhile.
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

  /// Reads the addresses and tells the listeners what has become of them. However many changes there are meanwhile, it reads once more.
  private func lookAtAddresses() {
    guard reading.begin() else { return }
    BlockingThreads.networks.submit { [self] in
      repeat {
        if let news = reading.read(SystemNetwork.allAddresses) { listeners.tell(news) }
        // After the news: NetworkManager may take its time to answer.
        if isAsked { read() }
      } while reading.mustReadAgain()
    }
  }

  /// The addresses there were at the last look, and whether a look is under way.
  private final class AddressReading: Sendable {
    private enum Progress {
      case none
      case reading
      /// There has been a change since the reading began.
      case overtaken
    }

    private struct State {
      var progress = Progress.none
      var addresses: Set<String>?
    }

    private let state = Mutex(State())

    /// Whether the caller is the one to read.
    func begin() -> Bool {
      state.withLock { state in
        defer { state.progress = state.progress == .none ? .reading : .overtaken }
        return state.progress == .none
      }
    }

    /// What is new; nil at the first look, and if the system hasn't said: what isn't known hasn't vanished.
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

  /// Reports once for all the messages of one round of reading.
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

    /// The kernel drops messages that aren't read in time (ENOBUFS): that there were some is all the same known. The channel closes then.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { report(true) }

    func channelInactive(context: ChannelHandlerContext) { ended() }
  }

  // MARK: reading

  /// Blocks for a few files of the kernel's, and for NetworkManager's answer where it runs.
  @discardableResult private func read() -> NetworkConditions {
    guard let conditions = SystemNetwork.conditions() else { return known ?? NetworkConditions([]) }
    found.withLock { $0 = .conditions(conditions) }
    return conditions
  }

  /// nil if the system doesn't say, such as to a process that has no descriptor left: what was found before is kept.
  private static func conditions() -> NetworkConditions? {
    guard let addresses = addresses() else { return nil }
    let defaults = RouteTables.defaultInterfaces(v4: contents("/proc/net/route"))
      .union(RouteTables.defaultInterfaces(v6: contents("/proc/net/ipv6_route")))
    return NetworkConditions(
      addresses.map { name, found in
        let medium: NetworkConditions.Medium = found.isLoopback ? .loopback : medium(of: name)
        let isWay = defaults.contains(name)
        return NetworkConditions.Interface(
          name, medium, metering: isWay ? metering(of: name) : .unmetered, addresses: found.addresses, hasDefaultRoute: isWay)
      })
  }

  private static func contents(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  /// nil if the system doesn't say.
  private static var allAddresses: Set<String>? { InterfaceAddress.all().map { Set($0.compactMap(\.address)) } }

  /// By interface, of those that are up; nil if the system doesn't say.
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
    switch uls_network_metering(name) {
    case 1: .declared
    case 3: .supposed
    default: .unmetered
    }
  }
}
