import Foundation

/// Reads from sysfs (Documentation/ABI/testing/sysfs-class-power) whether the machine runs on mains power, where UPower doesn't say.
enum PowerSupply {
  private static let folder = "/sys/class/power_supply"

  /// Whether a charger is online or no battery discharges; nil where there is no battery that could run out, or sysfs doesn't say.
  static func isOnMains(folder: String = folder) -> Bool? {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
    let supplies = names.map { name in (type: read(folder, name, "type"), online: read(folder, name, "online"), name: name) }
    let mains = supplies.filter { $0.type == "Mains" || $0.type.hasPrefix("USB") }
    if mains.contains(where: { $0.online == "1" }) { return true }
    // Mice and headphones have batteries as well, with the scope "Device"; these don't power the machine.
    let batteries = supplies.filter { $0.type == "Battery" && read(folder, $0.name, "scope") != "Device" }
    guard !batteries.isEmpty else { return nil }
    return !batteries.contains { read(folder, $0.name, "status") == "Discharging" }
  }

  private static func read(_ folder: String, _ name: String, _ attribute: String) -> String {
    let text = try? String(contentsOfFile: "\(folder)/\(name)/\(attribute)", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }
}
