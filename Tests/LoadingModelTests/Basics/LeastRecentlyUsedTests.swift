import LoadingModel
import Testing

struct LeastRecentlyUsedTests {
  @Test func shrinkingDropsWhatWasUnusedLongest() {
    var table = LeastRecentlyUsed<String, Int>()
    table.set("a", 1, cost: 10)
    table.set("b", 2, cost: 10)
    table.set("c", 3, cost: 10)
    #expect(table.value("a") == 1)
    table.shrink(to: 20)
    #expect(table.value("b") == nil)
    #expect(table.value("a") == 1)
    #expect(table.value("c") == 3)
    #expect(table.totalCost == 20)
  }

  @Test func replacingKeepsOneEntryAndItsCost() {
    var table = LeastRecentlyUsed<String, Int>()
    table.set("a", 1, cost: 10)
    table.set("a", 2, cost: 4)
    #expect(table.count == 1)
    #expect(table.totalCost == 4)
    #expect(table.value("a") == 2)
  }

  @Test func removalAndReuseKeepTheOrder() {
    var table = LeastRecentlyUsed<Int, Int>()
    for index in 0..<100 { table.set(index, index, cost: 1) }
    for index in stride(from: 0, to: 100, by: 2) { table.remove(index) }
    for index in 100..<150 { table.set(index, index, cost: 1) }
    table.shrink(to: 60)
    #expect(table.count == 60)
    #expect(table.value(79) == nil)
    #expect(table.value(81) == 81)
    #expect(table.value(100) == 100)
    table.removeAll { $0 >= 100 }
    #expect(table.totalCost == 10)
    table.shrink(to: 0)
    #expect(table.count == 0)
    table.set(1, 1, cost: 1)
    #expect(table.value(1) == 1)
  }
}
