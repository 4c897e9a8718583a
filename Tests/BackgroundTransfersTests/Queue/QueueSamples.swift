import Foundation
import LoadingModel

@testable import BackgroundTransfers

/// A folder of its own for one test, removed with the value.
final class QueueFolder: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory.appending(path: "queue-\(UUID().uuidString)", directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func open() throws -> TransferQueue { try TransferQueue(samplesIn: url) }
}

extension TransferQueue {
  static func sampleFile(in folder: URL) -> URL { folder.appending(path: "data/queue.sqlite", directoryHint: .notDirectory) }

  convenience init(samplesIn folder: URL) throws {
    try self.init(
      folder: folder.appending(path: "data", directoryHint: .isDirectory),
      settings: folder.appending(path: "settings", directoryHint: .isDirectory))
  }

  /// Adds transfers that wait.
  @discardableResult
  func addWaiting(
    _ tasks: some Sequence<Int>, to session: Int64, priority: Float = 0.5, earliest: Date? = nil, now: Date = .noon
  ) throws -> [Int64] {
    try transaction { queue in
      try tasks.map { task in
        var order = TransferOrder.sample(task)
        order.priority = priority
        order.earliestBegin = earliest
        let transfer = try queue.add(order, to: session, now: now)
        try queue.setSuspended(false, transfer.identifier, now: now)
        return transfer.identifier
      }
    }
  }
}

extension Date {
  static let noon = Date(timeIntervalSince1970: 1_800_000_000)
  static func noon(_ seconds: Double) -> Date { noon.addingTimeInterval(seconds) }
}

extension SessionTerms {
  static func sample(_ identifier: String = "session", app: String = "app", timeout: Double = 3600) -> SessionTerms {
    SessionTerms(
      app: App(name: app, data: "/data/\(app)", caches: "/caches", settings: "/settings"), identifier: identifier,
      configuration: Data("configuration".utf8), resourceTimeout: timeout)
  }
}

extension TransferOrder {
  static func sample(_ task: Int) -> TransferOrder {
    TransferOrder(
      task: task, kind: .download, request: Data("GET /\(task)\r\nAuthorization: Bearer token".utf8), shownURL: "https://a.test/\(task)")
  }
}

extension TransferOutcome {
  static func success(file: String? = nil) -> TransferOutcome {
    var outcome = TransferOutcome()
    (outcome.file, outcome.received, outcome.expectedToReceive) = (file, 10, 10)
    return outcome
  }

  static func failure(_ text: String) -> TransferOutcome {
    var outcome = TransferOutcome()
    outcome.error = ErrorValue(domain: "NSURLErrorDomain", code: -1100, description: text)
    return outcome
  }
}
