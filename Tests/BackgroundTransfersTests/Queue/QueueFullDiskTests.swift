import ChildProcesses
import Foundation
import Stores
import Testing

@testable import BackgroundTransfers

/// The queue on a disk that is really full (ENOSPC): a child process has a small one for itself.
@Suite(.timeLimit(.minutes(10))) struct QueueFullDiskTests {
  @Test(.enabled(if: SmallDisk.here == nil && SmallDisk.isPermitted, "processes may not mount a disk of their own here"))
  func aFullDiskRefusesAndHarmsNothing() async throws {
    let folder = QueueFolder()
    let child = try SmallDisk.child(running: "QueueFullDiskTests/childFillsItsDisk", on: folder.url, size: 3 << 20)
    #expect(await child.end() == .exit(0))
  }

  @Test(.enabled(if: SmallDisk.here != nil, "only in a child process")) func childFillsItsDisk() throws {
    let disk = try #require(SmallDisk.here)
    func isRefusal(_ error: any Error) -> Bool {
      guard let failure = error as? StoreFailure else { return false }
      return failure.cause == .fullDisk && !failure.isKeptInMemory && !failure.description.contains("memory")
    }
    let queue = try TransferQueue(samplesIn: disk.folder)
    let session = try queue.sessions.open(.sample()).identifier
    let before = try queue.addWaiting([1], to: session)[0]
    let journal = TakenJournal(folder: disk.folder.appending(path: "taken"), session: session)
    try journal.append(events: [1])
    try disk.fill()
    let large = TransferOrder(task: 2, kind: .download, request: Data(repeating: 5, count: 1 << 20), shownURL: "https://a.test/")
    #expect { _ = try queue.add(large, to: session, now: .noon) } throws: { isRefusal($0) }
    // One that was caught doesn't let the rest be committed.
    #expect {
      try queue.transaction { queue in
        try queue.setSuspended(true, before)
        _ = try? queue.add(large, to: session, now: .noon)
        try? queue.setSuspended(true, before)
      }
    } throws: { isRefusal($0) }
    #expect { try journal.append(events: Array(1...10_000)) } throws: { isRefusal($0) }
    #expect(try queue.transfers(of: session).map(\.isSuspended) == [false])
    disk.makeRoom()
    _ = try queue.add(large, to: session, now: .noon)
    _ = try queue.finish(before, .success(), now: .noon)
    try journal.append(events: [2])
    #expect(try journal.takeAll() == [1, 2])
    let again = try TransferQueue(samplesIn: disk.folder)
    #expect(try again.transfers(of: session).map(\.order.task) == [2] && again.events(of: session).map(\.task) == [1])
  }
}
