import BackgroundTransfers
import CLoadingDesktop
import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// What the machine's state says about discretionary transfers: its networks are watched, UPower is asked from time to time, and the rest is
/// read when it is asked for.
final class ConditionsWatch: Sendable {
  /// Tests and people say what the machine is like, in the form `mains=no,metered=yes,busy=no,network=yes`.
  static let variable = "URLSESSIOND_CONDITIONS"

  private let network: any NetworkObserver
  private let given: SystemConditions
  private let found = Mutex(Found())
  private let state = Mutex(State())

  private struct State {
    var observation: NetworkObservation?
    var learnt: (@Sendable () -> Void)?
  }

  /// Seconds for which an answer of UPower holds.
  private static let powerLife = 30.0

  private struct Found {
    var networks: NetworkConditions?
    var power = Power.unknown
  }

  private enum Power {
    case unknown
    case asking(before: Bool?)
    /// nil where UPower doesn't run.
    case known(isOnMains: Bool?, ContinuousClock.Instant)
  }

  init(_ network: any NetworkObserver, environment: [String: String]) {
    self.network = network
    given = ConditionsWatch.parse(environment[ConditionsWatch.variable] ?? "")
  }

  /// - Parameters:
  ///   - changed: Called on any thread after each change, with whether there is a network that leads beyond this machine.
  ///   - learnt: Called on any thread when the system has said something else than before.
  func begin(_ changed: @escaping @Sendable (Bool) -> Void, learnt: @escaping @Sendable () -> Void) {
    let look: @Sendable (Bool) -> Void = { [self] isNews in
      Task {
        let conditions = await network.conditions()
        found.withLock { $0.networks = conditions }
        if isNews { changed(conditions.reachesOthers) } else { learnt() }
      }
    }
    state.withLock { state in
      state.observation = network.observe { _ in look(true) }
      state.learnt = learnt
    }
    look(false)
    askForPower()
  }

  func end() { state.withLock { $0 = State() } }

  /// Whether the system has been asked, so that what isn't known isn't going to be.
  var isComplete: Bool {
    let found = found.withLock { $0 }
    let hasPower = if case .known = found.power { true } else { given.isOnMains != nil }
    return hasPower && (found.networks != nil || given.isMetered != nil && given.hasNetwork != nil)
  }

  /// UPower is asked again if its answer is old: what it says counts the next time.
  private func askForPower() {
    let asks = found.withLock { found in
      switch found.power {
      case .unknown: found.power = .asking(before: nil)
      case .asking: return false
      case .known(let before, let moment):
        guard moment + .seconds(ConditionsWatch.powerLife) < .now else { return false }
        found.power = .asking(before: before)
      }
      return true
    }
    guard asks else { return }
    // It may take a second.
    Thread.detachNewThread { [self] in
      let answer = uls_power_on_battery()
      let isOnMains = answer < 0 ? nil : answer == 0
      let isNews = found.withLock { found in
        defer { found.power = .known(isOnMains: isOnMains, .now) }
        guard case .asking(let before) = found.power else { return true }
        return before == nil || before != isOnMains
      }
      if isNews { state.withLock { $0.learnt }?() }
    }
  }

  func current() -> SystemConditions {
    if given.isOnMains == nil { askForPower() }
    let (networks, power) = found.withLock { ($0.networks, $0.power) }
    let isOnMains: Bool? =
      switch power {
      case .unknown: nil
      case .asking(let before): before
      case .known(let isOnMains, _): isOnMains
      }
    return SystemConditions(
      isOnMains: given.isOnMains ?? isOnMains ?? PowerSupply.isOnMains(),
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

  private static var isBusy: Bool? {
    var load = 0.0
    guard getloadavg(&load, 1) == 1 else { return nil }
    return SystemConditions.isBusy(load: load, processors: ProcessInfo.processInfo.activeProcessorCount)
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
