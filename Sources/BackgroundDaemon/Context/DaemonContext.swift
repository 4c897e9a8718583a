import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// What all parts of the daemon share: the transfer queue on disk, the serial dispatch queue that everything is confined to, the clock, files and the
/// log. `DaemonCore` makes it.
final class DaemonContext: @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  /// Bytes of transfers or events, about, that one page holds where all transfers or events of a session are gone through page by page.
  static let pageBytes = 4 << 20
  /// Longest timer in seconds, while the daemon waits for a later moment: it looks again then, because dispatch timers stand still while the machine
  /// sleeps.
  static let longestPause = 60.0
  /// Seconds until a write that the disk has refused is tried again.
  static let diskPause = 2.0

  let places: BackgroundPlaces
  let options: DaemonSettings
  let environment: [String: String]
  /// Converts between the clock's readings and the moments that the transfer queue stores, which aren't affected when the wall clock is set.
  private(set) var time: TimeCount
  let started: Date
  let queue: TransferQueue
  let files: TransferFiles
  let loop = DispatchQueue(label: "urlsessiond")
  /// Threads for calls that may wait for a disk or for another program.
  let lanes: BlockingLanes
  /// Sessions that `record(of:)` has read from the disk, by identifier.
  var sessions: [Int64: QueueSessions.Session] = [:]
  /// The daemon as a whole, which the parts notify of changes; it owns the context.
  weak var host: (any DaemonHost)?

  init(places: BackgroundPlaces, environment: [String: String], options: DaemonSettings) throws {
    self.places = places
    self.environment = environment
    self.options = options
    queue = try TransferQueue(folder: places.data, settings: places.settings)
    let reading = options.clock()
    time = try queue.beginTime(reading)
    started = time.moment(reading)
    files = TransferFiles(folder: places.files)
    lanes = BlockingLanes(loop)
  }

  var now: Date { time.moment(options.clock()) }

  /// The wall clock's time, for lists and log lines that people read.
  var wallTime: Date { options.clock().wall }

  /// Notices that the wall clock has been set, and has the transfer queue adapt the moments that follow the wall clock.
  func followClock() throws {
    let reading = options.clock()
    if time.isSet(reading) { time = try queue.followClock(reading) }
  }

  /// The session with its terms: from memory, or from the disk if it wasn't read before.
  func record(of identifier: Int64) throws -> QueueSessions.Session? {
    if let session = sessions[identifier] { return session }
    let session = try queue.sessions.find(identifier)
    sessions[identifier] = session
    return session
  }

  // MARK: log

  /// Adds a line to the log on disk. A line without a transfer concerns the whole daemon, and goes to standard error (the service's journal) too.
  func note(_ text: String, transfer: Int64?) {
    let text = ShownText.withoutQueries(text)
    do { try queue.log.add(text, transfer: transfer, now: wallTime) } catch { report("the log can't be written: \(error)") }
    if transfer == nil { report(text) }
  }

  /// Writes a line to standard error, which systemd puts into the service's journal, and not to the log on disk.
  func report(_ text: String) {
    var line = Data(text.replacing("\n", with: " ").utf8)
    line.append(UInt8(ascii: "\n"))
    try? FileHandle.standardError.write(contentsOf: line)
  }
}
