import BackgroundTransfers
import CLoadingDesktop
import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// The state of the machine that discretionary transfers depend on: networks are observed, UPower is asked at most every `powerLife` seconds, and the
/// load average is read on each call of `current()`.
final class ConditionsWatch: Sendable {
  /// Environment variable that overrides the machine's state, for tests and for trying out: `mains=no,metered=yes,busy=no,network=yes`, any of these.
  static let variable = "URLSESSIOND_CONDITIONS"

  private let network: any NetworkObserver
  private let given: SystemConditions
  private let found = Mutex(Found())
  private let state = Mutex(State())

  private struct State {
    var observation: NetworkObservation?
    var learnt: (@Sendable () -> Void)?
  }

  /// Seconds after which an answer of UPower is out of date, and `current()` has UPower asked again.
  private static let powerLife = 30.0

  private struct Found {
    var networks: NetworkConditions?
    var power = Power.unknown
  }

  private enum Power {
    case unknown
    case asking(before: Bool?)
    /// `isOnMains` is nil where UPower doesn't run.
    case known(isOnMains: Bool?, ContinuousClock.Instant)
  }

  init(_ network: any NetworkObserver, environment: [String: String]) {
    self.network = network
    given = ConditionsWatch.parse(environment[ConditionsWatch.variable] ?? "")
  }

  /// - Parameters:
  ///   - changed: Called on any thread after each change of the networks, with whether one of them leads beyond this machine.
  ///   - learnt: Called on any thread when the first look at the networks is done, and when UPower's answer differs from its last one.
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

  /// Whether the system has answered about power and networks, or `variable` gives them: a value that is nil then stays unknown.
  var isComplete: Bool {
    let found = found.withLock { $0 }
    let hasPower = if case .known = found.power { true } else { given.isOnMains != nil }
    return hasPower && (found.networks != nil || given.isMetered != nil && given.hasNetwork != nil)
  }

  /// Has a thread ask UPower, unless its last answer is recent; `current()` doesn't wait for it, but uses the answer from the next call on.
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
    // The call waits for UPower's answer, which may take a second.
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

  /// What `urlload background status` names as reasons why transfers wait: no network, and the conditions that put off discretionary transfers.
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
