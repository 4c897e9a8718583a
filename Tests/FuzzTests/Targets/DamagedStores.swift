import Foundation
@testable import LoadingModel

@testable import BackgroundTransfers
@testable import ProtocolRules
@testable import Stores

/// The files of each store with something in them, to be damaged and opened. One input at a time.
final class DamagedStores: @unchecked Sendable {
  // @unchecked: `lock` is held while files are used; the rest is immutable.
  static let shared = try? DamagedStores()

  private let folder: URL
  private let lock = NSLock()
  /// Sound files, by the names that they have in their store's folder.
  private let sound: [[(name: String, bytes: [UInt8])]]
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "damaged-\(getpid())", directoryHint: .isDirectory)
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    sound = try [DamagedStores.fillCookies, DamagedStores.fillCache, DamagedStores.fillQueue, DamagedStores.fillCredentials]
      .map { fill in
        let place = folder.appending(path: "sound-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try fill(place)
        return try FileManager.default.subpathsOfDirectory(atPath: place.path(percentEncoded: false)).sorted().compactMap { name in
          let file = place.appending(path: name)
          guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return nil }
          return (name, [UInt8](try Data(contentsOf: file)))
        }
      }
  }

  /// The first byte is the store, the second the file; then places of two bytes with the byte to put there, or behind 0xFF 0xFF what part of
  /// the file is left.
  func open(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    let store = Int(rest.popFirst() ?? 0) % sound.count
    let changed = Int(rest.popFirst() ?? 0) % max(1, sound[store].count)
    lock.lock()
    defer { lock.unlock() }
    let place = folder.appending(path: "input", directoryHint: .isDirectory)
    try? FileManager.default.removeItem(at: place)
    for (index, file) in sound[store].enumerated() {
      let url = place.appending(path: file.name)
      try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? Data(index == changed ? DamagedStores.damaged(file.bytes, rest) : file.bytes).write(to: url)
    }
    switch store {
    case 0: DamagedStores.openCookies(place)
    case 1: DamagedStores.openCache(place)
    case 2: DamagedStores.openQueue(place)
    default: DamagedStores.openCredentials(place)
    }
  }

  private static func damaged(_ bytes: [UInt8], _ changes: ArraySlice<UInt8>) -> [UInt8] {
    var (bytes, rest) = (bytes, changes)
    while let high = rest.popFirst(), let low = rest.popFirst(), let value = rest.popFirst() {
      let place = Int(high) << 8 | Int(low)
      if place == 0xFFFF {
        bytes.removeLast(bytes.count - bytes.count * Int(value) / 256)
      } else if !bytes.isEmpty {
        bytes[place % bytes.count] = value
      }
    }
    return bytes
  }

  // MARK: the stores

  private static func fillCookies(_ place: URL) throws {
    let store = CookieStore(file: place.appending(path: "cookies.sqlite")) { now }
    for number in 0..<3 {
      let cookie = Cookie(
        name: "n\(number)", value: "v", domain: ".a.test", path: "/", expires: now.addingTimeInterval(1000))
      store.write { jar, now in jar.set(cookie, now: now) }
    }
    store.flush()
  }

  private static func openCookies(_ place: URL) {
    let disk = CookieDisk(place.appending(path: "cookies.sqlite"))
    _ = disk.cookies(now: now)
  }

  private static func fillCache(_ place: URL) throws {
    let cache = try DiskCache(directory: place)
    let changes = (0..<2).map { number in
      CacheChange.store(
        StoredResponse(
          url: "https://a.test/\(number)", head: ResponseHead(status: 200, headers: HeaderFields([("ETag", "\"a\"")])), requestTime: now,
          responseTime: now, bodyLength: 40_000 * Int64(number)),
        .bytes(Data(repeating: 7, count: 40_000 * number)))
    }
    _ = try cache.perform(changes, uses: [:], capacity: 1 << 20)
    cache.close()
  }

  private static func openCache(_ place: URL) {
    guard let cache = try? DiskCache(directory: place) else { return }
    _ = (try? cache.index(), cache.bytesUsed, try? cache.changes(after: 0))
    for response in (try? cache.list(limit: 10)) ?? [] { _ = try? cache.body(response) }
    cache.close()
  }

  private static func queue(_ place: URL) throws -> TransferQueue {
    try TransferQueue(
      folder: place.appending(path: "data", directoryHint: .isDirectory),
      settings: place.appending(path: "settings", directoryHint: .isDirectory))
  }

  private static func fillQueue(_ place: URL) throws {
    let queue = try queue(place)
    let terms = SessionTerms(
      app: SessionTerms.App(name: "app", data: "/data", caches: "/caches", settings: "/settings"), identifier: "session",
      configuration: Data("{}".utf8), resourceTimeout: 3600)
    let session = try queue.sessions.open(terms, now: now).identifier
    for task in 1...3 {
      let order = TransferOrder(task: task, kind: .download, request: Data("{}".utf8), shownURL: "https://a.test/\(task)")
      let transfer = try queue.add(order, to: session, now: now)
      if task > 1 { try queue.setSuspended(false, transfer.identifier, now: now) }
      if task > 2 { _ = try queue.finish(transfer.identifier, TransferOutcome(), now: now) }
    }
    try queue.log.add("begun", transfer: 1, now: now)
    queue.close()
  }

  private static func openQueue(_ place: URL) {
    guard let queue = try? queue(place) else { return }
    for session in (try? queue.sessions.all()) ?? [] {
      _ = (try? queue.transfers(of: session.identifier), try? queue.events(of: session.identifier))
    }
    _ = (try? queue.reports.counts(), try? queue.reports.transfers(), try? queue.log.lines(transfer: nil, limit: 10))
    _ = (try? queue.nextMoment(after: now), try? queue.overdue(now: now), try? queue.nextDeadline(), try? queue.takeDamaged())
    queue.close()
  }

  private static func location(_ place: URL) -> StoreLocation {
    StoreLocation(
      data: place.appending(path: "data", directoryHint: .isDirectory), caches: place.appending(path: "caches", directoryHint: .isDirectory)
    )
  }

  private static func fillCredentials(_ place: URL) throws {
    let space = StoredCredential.Space(peer: .server, kind: "https", host: "a.test", port: 443, realm: nil, method: "basic")
    _ = try CredentialFile(location(place)).update {
      $0.keep(StoredCredential(space: space, user: "u", password: "p", persistence: .permanent, role: .standard))
    }
  }

  private static func openCredentials(_ place: URL) { _ = try? CredentialFile(location(place)).read() }
}
