import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// What every part of the daemon works with: the queue on the disk, the serial queue that everything is confined to, time, files and the log.
/// The daemon's core makes it.
final class DaemonContext: @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  /// About how many bytes of transfers or events are in memory at once where all of a session's are gone through.
  static let pageBytes = 4 << 20
  /// Seconds until the next look at most, while something waits for a moment: the machine may sleep meanwhile, or its clock be set.
  static let longestPause = 60.0
  /// Seconds until a disk that hasn't taken something is tried again.
  static let diskPause = 2.0

  let places: BackgroundPlaces
  let options: DaemonSettings
  let environment: [String: String]
  /// Moments are those of the queue's count, which goes on where the wall clock is set.
  private(set) var time: TimeCount
  let started: Date
  let queue: TransferQueue
  let files: TransferFiles
  let loop = DispatchQueue(label: "urlsessiond")
  /// What may wait for a disk or another program.
  let lanes: BlockingLanes
  /// The terms of sessions that were asked for.
  var sessions: [Int64: QueueSessions.Session] = [:]
  /// The daemon as a whole, which owns the context.
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

  /// For lists and logs, which people read.
  var wallTime: Date { options.clock().wall }

  /// Looks whether the wall clock has been set.
  func followClock() throws {
    let reading = options.clock()
    if time.isSet(reading) { time = try queue.followClock(reading) }
  }

  /// The session's terms, from memory.
  func record(of identifier: Int64) throws -> QueueSessions.Session? {
    if let session = sessions[identifier] { return session }
    let session = try queue.sessions.find(identifier)
    sessions[identifier] = session
    return session
  }

  // MARK: log

  /// A line of the log, also for the service's journal if it concerns the daemon as a whole.
  func note(_ text: String, transfer: Int64?) {
    let text = ShownText.withoutQueries(text)
    do { try queue.log.add(text, transfer: transfer, now: wallTime) } catch { report("the log can't be written: \(error)") }
    if transfer == nil { report(text) }
  }

  /// For the service's journal alone.
  func report(_ text: String) {
    var line = Data(text.replacing("\n", with: " ").utf8)
    line.append(UInt8(ascii: "\n"))
    try? FileHandle.standardError.write(contentsOf: line)
  }
}
