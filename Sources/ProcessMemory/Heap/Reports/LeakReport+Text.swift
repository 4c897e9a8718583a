extension LeakReport {
  /// The most lines of a tree that are shown; further lines are only counted.
  private static let longestTree = 40

  /// The report as text that ends with a line feed.
  package var text: String {
    var lines = [headline]
    for (number, group) in groups.enumerated() { lines += ["", LeakReport.title(group, number + 1)] + LeakReport.lines(group) }
    if unrecordedBlocks > 0 { lines += ["", "\(unrecordedBlocks) blocks couldn't be recorded: the program's address space is limited."] }
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    let when = moment == .atExit ? "when it ended" : "at the signal"
    let used = "\(LeakReport.blocks(usedBlocks)), \(LeakReport.bytes(usedBytes)) in use"
    guard hasLeaks else { return "\(program) (process \(process)) \(when): no leaks; \(used)" }
    let leaks = groups.reduce(0) { $0 + $1.count }
    let count = leaks == 1 ? "1 leak" : "\(leaks) leaks"
    return
      "\(program) (process \(process)) \(when): \(count) of \(LeakReport.blocks(leakedBlocks)), \(LeakReport.bytes(leakedBytes)); \(used)"
  }

  private static func title(_ group: LeakGroup, _ number: Int) -> String {
    let what = group.cycle.isEmpty ? "leak" : "retain cycle"
    let times = group.count == 1 ? "" : "\(group.count) times "
    return "\(number). \(times)\(what) of \(blocks(group.blocks)), \(bytes(group.bytes))"
  }

  private static func lines(_ group: LeakGroup) -> [String] {
    var lines: [String] = []
    if !group.cycle.isEmpty { lines.append("   " + cycle(group.cycle)) }
    var tree = treeLines(group.tree, depth: 0)
    // If the cycle has been shown as a line and holds no other blocks, its tree would only repeat it.
    if !group.cycle.isEmpty, group.blocks == group.cycle.count - 1, group.tree.places.isEmpty { tree = [] }
    let unshown = group.blocks - group.tree.shownBlocks
    if unshown > 0 { tree.append("   … and \(blocks(unshown)) more") }
    if tree.count > longestTree { tree = tree.prefix(longestTree) + ["   … and \(tree.count - longestTree) more lines"] }
    return lines + tree
  }

  /// The steps of a cycle as text: `Session → delegate: Controller → session`.
  private static func cycle(_ steps: [LeakStep]) -> String {
    steps.enumerated().map { index, step in
      if index == 0 { return step.name }
      if index == steps.count - 1 { return step.label.isEmpty ? step.name : step.label }
      return step.label.isEmpty ? step.name : "\(step.label): \(step.name)"
    }.joined(separator: " → ")
  }

  private static func treeLines(_ tree: LeakTree, depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth) + "   "
    let label = tree.label.isEmpty ? "" : "\(tree.label): "
    if tree.isRepeated { return ["\(indent)\(label)\(tree.name), shown above"] }
    var line = "\(indent)\(label)\(tree.name), \(bytes(tree.size))"
    if tree.places.count == 1 { line += ", allocated by \(tree.places[0])" }
    var lines = [line]
    if tree.places.count > 1 { lines += ["\(indent)  allocated by"] + tree.places.map { "\(indent)    \($0)" } }
    return lines + tree.held.flatMap { treeLines($0, depth: depth + 1) }
  }

  private static func blocks(_ count: Int) -> String { count == 1 ? "1 block" : "\(count) blocks" }

  private static func bytes(_ count: UInt64) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}
