import LoadingModel
import Testing

@Suite struct BoundedTableTests {
  @Test func newEntryTakesThePlaceOfTheOneUnusedLongest() {
    var table = BoundedTable<Int, String>(limit: 3)
    for key in 1...3 { table[key] = "\(key)" }
    #expect(table.use(1) == "1")
    // Looking isn't a use.
    #expect(table[2] == "2" && table.contains(2))
    table[4] = "4"
    #expect(!table.contains(2) && table.contains(1) && table.contains(3) && table.count == 3)
  }

  @Test func twoThousandHostsLeaveWhatIsInUse() {
    var table = BoundedTable<String, Int>(limit: 256)
    let daily = (0..<100).map { "host\($0)" }
    for host in daily { table[host] = 1 }
    for number in 0..<2000 {
      table["other\(number)"] = 1
      if number.isMultiple(of: 100) { for host in daily { _ = table.use(host) } }
    }
    #expect(daily.allSatisfy { table.contains($0) } && table.count == 256)
  }

  @Test func valuesAreReplacedTakenAndForgotten() {
    var table = BoundedTable<String, [Int]>(limit: 2)
    #expect(table.isEmpty && table["a"] == nil && table.take("a") == nil)
    table["a"] = [1]
    table["a"]?.append(2)
    #expect(table.take("a") == [1, 2] && table.isEmpty)
    table["b"] = []
    table["b"] = nil
    table["c"] = [3]
    table.removeAll()
    #expect(table.isEmpty && table.count == 0)
  }

  @Test func tableWithoutValuesIsASet() {
    var table = BoundedTable<Int, Void>(limit: 2)
    for key in 1...3 { table.insert(key) }
    #expect(!table.contains(1) && table.contains(2) && table.contains(3))
    #expect(table.take(2) != nil && !table.contains(2))
  }
}
