import Testing

@testable import URLLoadingSystem

@Suite struct CarriedTableTests {
  private typealias Table = CarriedTable<String>

  private func reconcile(_ table: inout Table, _ identifier: Int, isFirst: Bool) -> String {
    switch table.reconcile(identifier, isFirst: isFirst) {
    case .update(let task): "update \(task)"
    case .restore: "restore"
    case .cancel: "cancel"
    case .none: "none"
    }
  }

  private func tell(_ table: inout Table, _ event: Int64, of identifier: Int) -> String {
    switch table.tell(event, of: identifier) {
    case .deliver(let task): "deliver \(task ?? "a restored one")"
    case .take: "take"
    case .none: "none"
    }
  }

  private func announce(_ table: inout Table, _ identifier: Int) -> Bool { table.announce(identifier) }
  private func discard(_ table: inout Table, _ identifier: Int) -> String? { table.discard(identifier) }
  private func discardAll(_ table: inout Table) -> [String] { table.discardAll() }
  private func catchUp(_ table: inout Table) -> [String] { table.catchUp() }

  /// Attached, with task 1 that the daemon knows of.
  private func attached() -> Table {
    var table = Table()
    table.attach()
    _ = table.catchUp()
    table.add("a", 1)
    #expect(announce(&table, 1))
    return table
  }

  @Test func tasksAreAnnouncedOnceToEachDaemon() {
    var table = attached()
    #expect(!announce(&table, 1))
    #expect(table.isKnown(1))
    table.attach()
    #expect(!table.isKnown(1))
    #expect(announce(&table, 1))
    #expect(!announce(&table, 2))
  }

  @Test func whatTheDaemonHasNotHeardOfIsUnknown() {
    var table = attached()
    #expect(!table.hasUnknown)
    table.add("b", 2)
    #expect(table.hasUnknown)
    #expect(announce(&table, 2))
    #expect(!table.hasUnknown)
    table.attach()
    #expect(table.hasUnknown)
    #expect(reconcile(&table, 1, isFirst: false) == "update a")
    #expect(tell(&table, 10, of: 2) == "deliver b")
    #expect(!table.hasUnknown)
    table.add("c", 3)
    #expect(discard(&table, 3) == "c")
    #expect(!table.hasUnknown)
  }

  @Test func endsAreDeliveredOnce() {
    var table = attached()
    #expect(tell(&table, 10, of: 1) == "deliver a")
    #expect(table[1] == nil)
    #expect(tell(&table, 10, of: 1) == "none")
    table.take(10)
    table.attach()
    #expect(tell(&table, 10, of: 1) == "take")
  }

  @Test func endsOfWhatEndedHereGoNoFurther() {
    var table = attached()
    #expect(discard(&table, 1) == "a")
    #expect(discard(&table, 1) == nil)
    #expect(tell(&table, 10, of: 1) == "take")
    #expect(!announce(&table, 1))
  }

  @Test func tasksOfEarlierProcessesAreRestoredByTheFirstDaemonAlone() {
    var table = Table()
    table.attach()
    #expect(reconcile(&table, 4, isFirst: true) == "restore")
    table.restore("d", 4)
    #expect(table.isKnown(4))
    #expect(tell(&table, 9, of: 3) == "deliver a restored one")
    #expect(reconcile(&table, 5, isFirst: false) == "cancel")
  }

  @Test func daemonsThatComeBackAreToldWhatHasHappened() {
    var table = attached()
    table.add("b", 2)
    #expect(announce(&table, 2))
    table.add("c", 3)
    #expect(discard(&table, 2) == "b")
    #expect(tell(&table, 10, of: 1) == "deliver a")
    table.attach()
    #expect(reconcile(&table, 1, isFirst: false) == "none")
    #expect(reconcile(&table, 2, isFirst: false) == "cancel")
    #expect(catchUp(&table) == ["c"])
    #expect(reconcile(&table, 3, isFirst: false) == "update c")
    #expect(catchUp(&table) == [])
  }

  @Test func whatIsOverIsForgotten() {
    var table = attached()
    for number in 2...1000 { table.add("t", number) }
    for number in 1...1000 {
      #expect(announce(&table, number) == (number > 1))
      if number % 3 == 0 { _ = table.discard(number) }
      _ = table.tell(Int64(number), of: number)
      table.take(Int64(number))
    }
    #expect(table.count == 2000)
    table.attach()
    // One that the last daemon hadn't noted.
    #expect(tell(&table, 7, of: 7) == "take")
    _ = table.catchUp()
    #expect(table.count == 2)
    table.attach()
    _ = table.catchUp()
    #expect(table.count == 0)
  }

  @Test func callsThatHaveNotReturnedAreNotForgotten() {
    var table = attached()
    #expect(tell(&table, 10, of: 1) == "deliver a")
    for _ in 0..<3 {
      table.attach()
      _ = table.catchUp()
    }
    #expect(tell(&table, 10, of: 1) == "none")
  }

  @Test func allEndHereInTheirOrder() {
    var table = attached()
    table.add("c", 3)
    table.add("b", 2)
    #expect(discardAll(&table) == ["a", "b", "c"])
    #expect(discardAll(&table) == [])
  }
}
