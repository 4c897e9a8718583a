#if Inspector
  import Foundation
  import LoadingModel
  import Testing

  @testable import URLLoadingInspector

  @Suite struct TransferStoreTests {
    @Test(arguments: [(QUICFacts.EarlyData.accepted, "accepted" as String?), (.refused, "refused"), (.unused, nil)])
    func earlyDataIsOfAConnection(
      _ earlyData: QUICFacts.EarlyData, _ expected: String?
    ) {
      let facts = ConnectionFacts(
        localAddress: nil, localPort: nil, remoteAddress: nil, remotePort: nil, tlsVersion: 0x0304, tlsCipherSuite: nil, isTLSResumed: true,
        quic: QUICFacts(version: 1, earlyData: earlyData))
      #expect(RecordedTransfer.Connection(facts).earlyData == expected)
    }

    private func filled(_ count: Int, limit: Int, weightLimit: Int = .max) -> TransferStore {
      var store = TransferStore(limit: limit, weightLimit: weightLimit)
      for _ in 0..<count {
        var transfer = RecordedTransfer.sample(number: 0)
        store.begin(&transfer)
      }
      return store
    }

    @Test func theNewestAreKept() {
      let store = filled(10, limit: 3)
      #expect(store.transfers.map(\.number) == [8, 9, 10])
      #expect(store.transfer(7) == nil)
      #expect(store.transfer(8)?.number == 8)
      #expect(store.transfer(11) == nil)
    }

    @Test func bytesAreBoundedToo() {
      let store = filled(100, limit: 1000, weightLimit: 10_000)
      #expect((2..<12).contains(store.count))
    }

    @Test func aPageIsToldOfWhatChanged() {
      var store = filled(3, limit: 10)
      let all = store.changes(since: -1)
      #expect(all.transfers.count == 3)
      #expect(store.changes(since: all.revision).transfers.isEmpty)
      var second = all.transfers[1]
      second.state = .failed
      store.update(second)
      #expect(store.changes(since: all.revision).transfers.map(\.number) == [2])
      _ = store.removeAll()
      let cleared = store.changes(since: all.revision)
      #expect(cleared.transfers.isEmpty)
      #expect(cleared.first == 4)
      // One that is still under way is gone for good.
      store.update(second)
      #expect(store.count == 0)
    }

    @Test func oldBodiesAreDroppedBeforeNewOnes() {
      var store = filled(3, limit: 10)
      let drops = (0..<3).map { _ in store.dropOldestBodies() }
      #expect(drops == [true, true, false])
      #expect(store.transfers.map { $0.response?.body?.count } == [0, 0, 7])
      #expect(store.transfers[0].response?.body?.isCut == true)
    }

    @Test func budgetsAreGivenBackWithTheBytes() {
      let budget = ByteBudget(limit: 10)
      #expect(budget.take(10))
      #expect(!budget.take(1))
      var body: RecordedBody? = RecordedBody(Data(count: 10), budget: budget)
      #expect(body?.count == 10)
      body = nil
      #expect(budget.taken == 0)
    }

    @Test func filesAreTheUsersAloneAndGoWithTheirValues() throws {
      let folder = SpillFolder(limit: 100)
      var body: RecordedBody? = RecordedBody(Data(repeating: 7, count: 60))
      body?.spill(into: folder)
      let path = try #require(folder.path)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      #expect(names.count == 1)
      #expect(stat("\(path)/\(names[0])", &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(body?.data == Data(repeating: 7, count: 60))
      var other = RecordedBody(Data(count: 60))
      other.spill(into: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
      body = nil
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test func aBodyThatCannotBeReadAnyMoreIsToldAsCut() throws {
      let folder = SpillFolder(limit: 100)
      var transfer = RecordedTransfer.sample(body: String(repeating: "x", count: 60))
      transfer.response?.body?.spill(into: folder)
      #expect(transfer.response?.body?.read.isCut == false)
      try FileManager.default.removeItem(atPath: #require(folder.path))
      #expect(transfer.response?.body?.read == RecordedBody(Data(), size: 60, isCut: true))
      let read = try HARReading.transfers(HARDocument.data([transfer]))
      #expect(read.first?.response?.body?.isCut == true)
    }

    private static let exitFile = FileManager.default.temporaryDirectory.appending(path: "inspector-exit-\(getpid()).har")

    @Test func anArchiveOfTheExitHasBodiesThatAreInFiles() async {
      await #expect(processExitsWith: .success) {
        // Registered first, so that it runs last.
        atexit {
          let transfers = try? HARReading.transfers(Data(contentsOf: TransferStoreTests.exitFile))
          try? FileManager.default.removeItem(at: TransferStoreTests.exitFile)
          let body = transfers?.first?.response?.body
          _exit(body?.count == 100_000 && body?.isCut == false ? 0 : 1)
        }
        let inspector = URLSessionInspector()
        InspectorExit.write(inspector, to: TransferStoreTests.exitFile.path)
        var transfer = RecordedTransfer.sample(body: String(repeating: "x", count: 100_000))
        inspector.begin(&transfer)
        inspector.end(transfer)
        inspector.settle()
        exit(inspector.folder.path == nil ? 2 : 0)
      }
    }

    private static let variables: [(String, Int?, String?)] = [
      ("8080", 8080, nil), ("0,/tmp/x.har", 0, "/tmp/x.har"), ("out.har", nil, "out.har"), (" 0 ", 0, nil),
    ]

    @Test(arguments: variables) func theVariableNamesAPortAFileOrBoth(_ value: String, _ port: Int?, _ file: String?) {
      let variable = InspectorVariable(value)
      #expect(variable.port == port)
      #expect(variable.file == file)
    }
  }
#endif
