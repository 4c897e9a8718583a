import Foundation
import Testing

@testable import ProcessMemory

/// The parts that need no program.
@Suite struct LeakValueTests {
  @Test func rangesAreSubtracted() {
    #expect(MemorySnapshot.subtract([], from: 10..<20) == [10..<20])
    #expect(MemorySnapshot.subtract([0..<12, 15..<16, 18..<30], from: 10..<20) == [12..<15, 16..<18])
    #expect(MemorySnapshot.subtract([0..<30], from: 10..<20) == [])
    #expect(MemorySnapshot.subtract([0..<10, 20..<30], from: 10..<20) == [10..<20])
  }

  @Test func rangesAreMerged() {
    #expect(BlockTable.merged([5..<7, 1..<3, 3..<4, 6..<9]) == [1..<4, 5..<9])
    #expect(BlockTable.merged([]) == [])
  }

  @Test(arguments: [
    ("Shop.Cart", "Cart", true), ("Shop.Cart", "Shop.Cart", true), ("Shop.Cart<Shop.Item>", "Cart", true), ("Shop.GoCart", "Cart", false),
    ("Shop.Cart<Shop.Item>", "Item>", false), ("Task", "Task", true), ("Shop.Cart", "", false),
  ])
  func typesAreNamedWithOrWithoutModule(_ name: String, _ wanted: String, _ matches: Bool) {
    #expect(ReferenceQuery.matches(name, wanted) == matches)
  }

  @Test func addressesBeginWithZeroX() {
    #expect(ReferenceQuery("0x7f00") == .address(0x7F00))
    #expect(ReferenceQuery("0xyz") == .type("0xyz"))
    #expect(ReferenceQuery("Cart") == .type("Cart"))
  }

  private func tree(_ name: String, _ size: UInt64, label: String = "", held: [LeakTree] = [], isRepeated: Bool = false) -> LeakTree {
    LeakTree(
      label: label, kind: .object, name: name, address: HexNumber(4096), size: size, places: [], isRepeated: isRepeated, held: held)
  }

  @Test func reportIsText() {
    let steps = [
      LeakStep(label: "", name: "App.A"), LeakStep(label: "b", name: "App.B"), LeakStep(label: "a", name: "App.A"),
    ]
    let cycle = tree("App.A", 32, held: [tree("App.B", 32, label: "b", held: [tree("App.A", 32, label: "a", isRepeated: true)])])
    let report = LeakReport(
      program: "app", process: 7, moment: .atExit, exitStatus: 0, usedBlocks: 10, usedBytes: 999, leakedBlocks: 5, leakedBytes: 165,
      unrecordedBlocks: 0,
      groups: [
        LeakGroup(count: 2, blocks: 2, bytes: 64, cycle: steps, tree: cycle),
        LeakGroup(count: 1, blocks: 1, bytes: 37, cycle: [], tree: tree("malloc block", 37)),
      ])
    #expect(
      report.text == """
        app (process 7) when it ended: 3 leaks of 5 blocks, 165 bytes; 10 blocks, 999 bytes in use

        1. 2 times retain cycle of 2 blocks, 64 bytes
           App.A → b: App.B → a

        2. leak of 1 block, 37 bytes
           malloc block, 37 bytes

        """)
  }

  @Test func symbolsAreReadFromFiles() throws {
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #expect(ImageSymbols(path: path) != nil)
    #expect(ImageSymbols(path: "/etc/passwd") == nil)
    #expect(ImageSymbols(path: "/none") == nil)
  }

  @Test func namesAreDemangled() {
    #expect(SwiftDemangling.text("$sSiD") == "Swift.Int")
    #expect(SwiftDemangling.text("malloc") == nil)
    #expect(CDemangling.text("malloc") == nil)
  }
}
