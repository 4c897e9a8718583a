import Foundation
import Stores
import Testing

@testable import BackgroundTransfers

/// What is read in portions, whatever there is of it.
@Suite(.timeLimit(.minutes(10))) struct QueuePageTests {
  private let folder = QueueFolder()

  private func add(_ tasks: some Sequence<Int>, size: Int, to session: Int64, _ queue: TransferQueue) throws -> [Int64] {
    try tasks.map { task in
      var order = TransferOrder.sample(task)
      order.request = Data(repeating: 7, count: size)
      let transfer = try queue.add(order, to: session, now: .noon).identifier
      try queue.setSuspended(false, transfer, now: .noon)
      return transfer
    }
  }

  @Test func transfersComeInPagesOfBytesAndNumbers() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try add(1...7, size: 1000, to: session, queue)
    for (limit, bytes) in [(2, Int.max), (.max, 1500), (.max, 1)] {
      var (tasks, next, pages) = ([Int](), Int64?.some(0), 0)
      while let previous = next {
        let page = try queue.page(of: session, after: previous, limit: limit, bytes: bytes)
        #expect(page.transfers.count <= 2)
        tasks += page.transfers.map(\.order.task)
        (next, pages) = (page.next, pages + 1)
      }
      #expect(tasks == Array(1...7) && pages >= 4)
    }
    #expect(try queue.page(of: session, upTo: added[2], bytes: .max).transfers.map(\.order.task) == [1, 2, 3])
    #expect(try queue.presence.newestTransfer(of: session) == added[6])
  }

  @Test func aPageOfDamagedTransfersIsNotTheLast() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try add(1...3, size: 10, to: session, queue)
    try StoreDatabase(url: TransferQueue.sampleFile(in: folder.url), migrations: QueueTables.register)
      .write { try $0.execute(sql: "UPDATE contents SET content = x'01' WHERE transfer < \(added[2])") }
    var (tasks, next) = ([Int](), Int64?.some(0))
    while let previous = next {
      let page = try queue.page(of: session, after: previous, limit: 1, bytes: .max)
      tasks += page.transfers.map(\.order.task)
      next = page.next
    }
    #expect(tasks == [3])
    #expect(try queue.takeDamaged().map(\.event.task) == [1, 2])
    #expect(try queue.takeDamaged().isEmpty)
  }

  @Test func theFirstToBeginEndWithTheBytesThatThereIsRoomFor() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    _ = try add(1...5, size: 1000, to: session, queue)
    #expect(try queue.ready(now: .noon, limit: 5, bytes: 2500, excluding: []).map(\.order.task) == [1, 2, 3])
    #expect(try queue.ready(now: .noon, limit: 5, bytes: 1, excluding: []).map(\.order.task) == [1])
  }

  @Test func eventsKeepTheirOrderWhenEarlierOnesAreTaken() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try add(1...4, size: 1000, to: session, queue)
    for transfer in added[...1] { _ = try queue.finish(transfer, .success(), now: .noon) }
    let first = try queue.eventPage(of: session, bytes: 1)
    #expect(first.events.map(\.task) == [1] && !first.isLast)
    let second = try queue.eventPage(of: session, after: first.last, limit: 5, bytes: .max)
    #expect(second.events.map(\.task) == [2] && second.isLast)
    _ = try queue.take(Array(added[...1]), of: session)
    for transfer in added[2...] { _ = try queue.finish(transfer, .success(), now: .noon) }
    #expect(try queue.eventPage(of: session, after: second.last, bytes: .max).events.map(\.task) == [3, 4])
  }
}
