import BackgroundTransfers
import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// What the machine's state says about discretionary transfers: its networks are watched, the rest is read when it is asked for.
struct ConditionsWatch {
  /// Tests and people say what the machine is like, in the form `mains=no,metered=yes,busy=no,network=yes`.
  static let variable = "URLSESSIOND_CONDITIONS"

  private let network: any NetworkObserver
  private let given: SystemConditions
  private let found = FoundNetworks()
  private var observation: NetworkObservation?

  private final class FoundNetworks: Sendable {
    let conditions = Mutex<NetworkConditions?>(nil)
  }

  init(_ network: any NetworkObserver, environment: [String: String]) {
    self.network = network
    given = ConditionsWatch.parse(environment[ConditionsWatch.variable] ?? "")
  }

  /// - Parameter changed: Called on any thread after each change, with whether there is a network that leads beyond this machine.
  mutating func begin(_ changed: @escaping @Sendable (Bool) -> Void) {
    let (network, found) = (network, found)
    let look: @Sendable (Bool) -> Void = { isNews in
      Task {
        let conditions = await network.conditions()
        found.conditions.withLock { $0 = conditions }
        if isNews { changed(conditions.reachesOthers) }
      }
    }
    observation = network.observe { _ in look(true) }
    look(false)
  }

  mutating func end() { observation = nil }

  func current() -> SystemConditions {
    let networks = found.conditions.withLock { $0 }
    return SystemConditions(
      isOnMains: given.isOnMains ?? PowerSupply.isOnMains(),
      isMetered: given.isMetered ?? networks.map { $0.ways.contains { $0.metering != .unmetered } },
      isBusy: given.isBusy ?? ConditionsWatch.isBusy, hasNetwork: given.hasNetwork ?? networks?.reachesOthers)
  }

  /// What hinders transfers as a whole.
  func obstacles() -> [String] {
    let system = current()
    var obstacles: [String] = []
    if system.hasNetwork == false { obstacles.append("no network") }
    if system.isOnMains == false { obstacles.append("on battery: discretionary transfers wait") }
    if system.isMetered == true { obstacles.append("the network is metered: discretionary transfers wait") }
    if system.isBusy == true { obstacles.append("the machine is busy: discretionary transfers wait") }
    return obstacles
  }

  /// Whether more programs want to run than there are processors, over the last minute.
  private static var isBusy: Bool? {
    var load = 0.0
    guard getloadavg(&load, 1) == 1 else { return nil }
    return load > Double(ProcessInfo.processInfo.activeProcessorCount)
  }

  private static func parse(_ text: String) -> SystemConditions {
    var given = SystemConditions()
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=")
      guard words.count == 2, ["yes", "no"].contains(words[1]) else { continue }
      let value = words[1] == "yes"
      switch words[0] {
      case "mains": given.isOnMains = value
      case "metered": given.isMetered = value
      case "busy": given.isBusy = value
      case "network": given.hasNetwork = value
      default: continue
      }
    }
    return given
  }
}
