import Foundation
import Stores
import Testing

@testable import BackgroundTransfers

/// What lies on disk, and what becomes of it when it is damaged.
@Suite(.timeLimit(.minutes(10))) struct QueueSecretTests {
  private let folder = QueueFolder()

  private func raw() throws -> StoreDatabase {
    try StoreDatabase(url: TransferQueue.sampleFile(in: folder.url), migrations: QueueTables.register)
  }

  private func damage(_ sql: String) throws { try raw().write { try $0.execute(sql: sql) } }

  private func isDamage(_ event: TransferEvent?) -> Bool {
    event?.outcome.error?.domain == "NSURLErrorDomain" && event?.outcome.error?.code == -3001
  }

  @Test func nothingSecretIsReadableInAnyFile() throws {
    let (queue, secret) = (try folder.open(), "sEcReT-7f3a")
    let bytes = Data(secret.utf8)
    var terms = SessionTerms.sample()
    terms.configuration = bytes
    terms.launch = .command([secret], folder: nil, environment: [:])
    let session = try queue.sessions.open(terms).identifier
    for task in 1...3 {
      var order = TransferOrder.sample(task)
      order.request = Data("Authorization: Bearer \(secret)".utf8)
      (order.description, order.destination, order.resumeData) = (secret, secret, bytes)
      let identifier = try queue.add(order, to: session, now: .noon).identifier
      try queue.keepResumeData(bytes, identifier)
      try queue.keepResponse(bytes, identifier)
      try queue.keepAttempt(1, next: nil, reason: secret, identifier)
      try queue.log.add(secret, transfer: identifier, now: .noon)
      var outcome = TransferOutcome.failure(secret)
      (outcome.response, outcome.file) = (bytes, secret)
      if task > 1 { _ = try queue.finish(identifier, outcome, now: .noon) }
      if task > 2 { #expect(try queue.take([identifier], of: session) == [secret]) }
    }
    var (seen, names) = (0, Set<String>())
    let files = try #require(FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil))
    for case let file as URL in files where !file.hasDirectoryPath {
      let contents = try Data(contentsOf: file)
      seen += contents.count
      names.insert(file.lastPathComponent)
      #expect(contents.range(of: bytes) == nil, "\(file.lastPathComponent)")
      #expect(contents.range(of: bytes.base64EncodedData()) == nil, "\(file.lastPathComponent)")
      var status = stat()
      #expect(lstat(file.path(percentEncoded: false), &status) == 0 && status.st_mode & 0o077 == 0, "\(file.lastPathComponent)")
    }
    #expect(seen > 0 && names.isSuperset(of: ["queue.sqlite", "queue.sqlite-wal", "urlsessiond.key"]))
  }

  @Test func aDamagedOrderEndsThatTransferAlone() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...4, to: session)
    try damage("UPDATE contents SET content = x'0102' WHERE transfer = \(added[0])")
    // A record in another's row is as good as damaged.
    try damage(
      "UPDATE contents SET content = (SELECT content FROM contents WHERE transfer = \(added[3])) WHERE transfer = \(added[1])")
    try damage("DELETE FROM contents WHERE transfer = \(added[2])")
    #expect(try queue.ready(now: .noon, limit: 1, excluding: []).map(\.order.task) == [4])
    let events = try queue.events(of: session)
    #expect(events.map(\.task) == [1, 2, 3] && events.allSatisfy { isDamage($0) })
    #expect(events.first?.outcome.error?.failingURL == "https://a.test/1")
    #expect(try queue.transfers(of: session).map(\.order.task) == [4])
    _ = try queue.take(added, of: session)
    #expect(try queue.reports.counts() == (1, 0, 0))
  }

  @Test func aDamagedOrderIsNoticedByEachReader() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...4, to: session)
    try damage("UPDATE contents SET content = x''")
    #expect(try queue.transfer(added[0]) == nil)
    #expect(try queue.transfer(session: session, task: 2) == nil)
    try queue.change(TransferChange(), added[2], now: .noon)
    #expect(try queue.events(of: session).map(\.task) == [1, 2, 3])
    #expect(try queue.transfers(of: session).isEmpty)
    let events = try queue.events(of: session)
    #expect(events.count == 4 && events.allSatisfy { $0.kind == .download })
    #expect(events.compactMap { $0.outcome.error?.failingURL } == (1...4).map { "https://a.test/\($0)" })
  }

  @Test func damagedResumeDataAndResponseAreForgotten() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let identifier = try queue.addWaiting([1], to: session)[0]
    try queue.keepResumeData(Data("resume".utf8), identifier)
    try queue.keepResponse(Data("response".utf8), identifier)
    try damage("UPDATE contents SET resume_data = x'00', response = x'00'")
    let transfer = try #require(try queue.transfer(identifier))
    #expect(transfer.resumeData == nil && transfer.response == nil)
  }

  @Test func withoutItsKeyTheQueueEndsWhatItHas() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let added = try queue.addWaiting(1...3, to: session)
    _ = try queue.finish(added[0], .success(), now: .noon)
    queue.close()
    try FileManager.default.removeItem(at: folder.url.appending(path: "settings/urlsessiond.key"))
    let again = try folder.open()
    #expect(try again.sessions.all().isEmpty)
    // Of a session whose terms aren't known nothing begins.
    #expect(try again.ready(now: .noon, limit: 9, excluding: []).isEmpty)
    #expect(try again.sessions.open(.sample()).identifier == session)
    let new = try again.addWaiting([4], to: session)
    #expect(try again.ready(now: .noon, limit: 9, excluding: []).map(\.identifier) == new)
    let events = try again.events(of: session)
    #expect(events.map(\.task) == [1, 2, 3] && events.allSatisfy { isDamage($0) })
    #expect(try again.reports.transfers().count == 4 && again.log.lines(transfer: nil, limit: 9).isEmpty)
  }

  @Test func aDamagedFileIsMovedAside() throws {
    let file = TransferQueue.sampleFile(in: folder.url)
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    before.close()
    try Data(repeating: 7, count: 8192).write(to: file)
    let queue = try folder.open()
    #expect(queue.movedAside != nil)
    #expect(try queue.sessions.all().isEmpty)
    // The journal of a session before isn't that of one after.
    #expect(try queue.sessions.open(.sample()).identifier != session)
  }

  @Test func aFileThatOnlyWritingFindsDamagedIsReplacedByASoundCopy() throws {
    let file = TransferQueue.sampleFile(in: folder.url)
    func large(_ task: Int) -> TransferOrder {
      TransferOrder(task: task, kind: .download, request: Data(repeating: 5, count: 200_000), shownURL: "https://a.test/")
    }
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    let kept = try before.addWaiting([1], to: session)
    // Its removal leaves free pages.
    let removed = try before.add(large(2), to: session, now: .noon).identifier
    _ = try before.finish(removed, .success(), now: .noon)
    _ = try before.take([removed], of: session)
    before.close()
    try damageFreePages(of: file)
    let queue = try folder.open()
    #expect(queue.movedAside?.lastPathComponent == "queue.sqlite.corrupt-1" && !queue.isBegunAnew)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int == 0o600)
    #expect(try queue.transfers(of: session).map(\.identifier) == kept)
    // Identifiers are never used again.
    #expect(try queue.add(large(3), to: session, now: .noon).identifier > removed)
    queue.close()
    #expect(try folder.open().movedAside == nil)
  }

  @Test func aFileWhoseIndexLacksARowIsReplacedByASoundCopy() throws {
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    let kept = try before.addWaiting(1...3, to: session)
    before.close()
    // Rows that are changed while the index is unknown aren't changed there.
    try damage("CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'transfers_waiting'")
    try damage("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'transfers_waiting'")
    try damage("UPDATE transfers SET priority = priority + 0.25")
    try damage("PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM hidden; DROP TABLE hidden")
    let queue = try folder.open()
    #expect(queue.movedAside != nil && !queue.isBegunAnew)
    #expect(try queue.transfers(of: session).map(\.identifier) == kept)
    for transfer in kept { _ = try queue.finish(transfer, .success(), now: .noon) }
    queue.close()
    #expect(try folder.open().movedAside == nil)
  }

  @Test func aFileThatCannotBeCopiedWholeStaysInUseWhereItCanBeRead() throws {
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    let kept = try before.addWaiting([1], to: session)
    before.close()
    // The index of keys lacks a row, so that a session can be there twice.
    let autoindex = "name LIKE 'sqlite_autoindex_sessions%'"
    try damage("CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE \(autoindex)")
    try damage(
      """
      PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE \(autoindex);
      UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL UNIQUE', 'NOT NULL') WHERE name = 'sessions'
      """)
    try damage(
      """
      CREATE TABLE twice AS SELECT * FROM sessions; UPDATE twice SET identifier = identifier + 100;
      INSERT INTO sessions SELECT * FROM twice; DROP TABLE twice
      """)
    try damage(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'key BLOB NOT NULL', 'key BLOB NOT NULL UNIQUE') WHERE name = 'sessions';
      INSERT INTO sqlite_schema SELECT * FROM hidden; DROP TABLE hidden
      """)
    let queue = try folder.open()
    #expect(queue.movedAside == nil)
    #expect(try queue.transfers(of: session).map(\.identifier) == kept)
  }

  @Test func aCopyThatHasNotYetTakenTheDamagedFilesPlaceDoesSoLater() throws {
    let file = TransferQueue.sampleFile(in: folder.url)
    let before = try folder.open()
    let session = try before.sessions.open(.sample()).identifier
    let kept = try before.addWaiting([1], to: session)
    before.close()
    try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("copy"))
    let queue = try folder.open()
    #expect(try queue.transfers(of: session).map(\.identifier) == kept)
    queue.close()
    // Beside the file, it is what an attempt has left that wasn't finished.
    try Data("SQLite".utf8).write(to: file.appendingPathExtension("copy"))
    #expect(try folder.open().transfers(of: session).map(\.identifier) == kept)
  }

  /// Overwrites the first page of the list of free pages, of a file that isn't open.
  private func damageFreePages(of file: URL) throws {
    var bytes = try Data(contentsOf: file)
    try #require(bytes.count > 100)
    // The file format has the size of a page at byte 16 of the header, and the number of that page at byte 32.
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    let page = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
    try #require(page > 1 && size >= 512 && page * size <= bytes.count)
    bytes.replaceSubrange((page - 1) * size..<page * size, with: Data(repeating: 7, count: size))
    try bytes.write(to: file)
  }

  @Test func aFolderThatCannotBeUsedIsAnError() throws {
    try Data().write(to: folder.url.appending(path: "data"))
    #expect { _ = try folder.open() } throws: { ($0 as? StoreFailure)?.isKeptInMemory == false }
  }
}
