import Cryptography
import Foundation

/// The certificate transparency logs (RFC 6962) that are known, by the SHA-256 digests of their keys.
package struct TransparencyLogs: Sendable {
  package struct Log: Sendable, Hashable {
    package enum State: Sendable, Hashable {
      /// Qualified, usable or read-only: its timestamps count.
      case current
      /// The log is retired: timestamps from before this date count, if they are inside a certificate.
      case retired(Date)
    }

    /// The log's public key: a SubjectPublicKeyInfo in DER.
    package let key: Data
    let `operator`: String
    /// Earlier operators of the log, each with the end of its time, in chronological order.
    let earlierOperators: [(name: String, end: Date)]
    let state: State
    /// Whether it serves static tiles rather than the API of RFC 6962.
    let isTiled: Bool

    package static func == (left: Log, right: Log) -> Bool {
      left.key == right.key && left.operator == right.operator && left.state == right.state && left.isTiled == right.isTiled
        && left.earlierOperators.elementsEqual(right.earlierOperators, by: ==)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    func ran(at moment: Date) -> String { earlierOperators.first { moment < $0.end }?.name ?? self.operator }
  }

  /// Why a list of logs can't be read.
  package struct Problem: Error, Hashable {
    package let message: String
  }

  private let logs: [[UInt8]: Log]
  /// When the list was made, as it says; nil if it doesn't.
  package let date: Date?

  private static let sizeLimit = 16 << 20

  package var count: Int { logs.count }

  package subscript(_ digest: [UInt8]) -> Log? { logs[digest] }

  /// Reads a list in the form of Google's (`log_list.json`, version 3) and Apple's (`current_log_list.json`): operators, and the logs of each.
  /// Logs that are pending or rejected are left out.
  ///
  /// - Throws: A `Problem` that says what is wrong with the list; also for a list without any log that counts.
  package init(_ content: Data) throws(Problem) {
    guard content.count <= TransparencyLogs.sizeLimit else { throw Problem(message: "it has more than 16 MiB") }
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: content)
    } catch {
      throw Problem(message: "it isn't a list of logs in JSON, which has “operators” with a “name” and “logs” each")
    }
    var logs: [[UInt8]: Log] = [:]
    for group in document.operators {
      for (entries, isTiled) in [(group.logs ?? [], false), (group.tiled_logs ?? [], true)] {
        for entry in entries {
          guard let (digest, log) = try TransparencyLogs.log(entry, group.name, isTiled) else { continue }
          logs[digest] = log
        }
      }
    }
    guard !logs.isEmpty else { throw Problem(message: "there is no log in it whose timestamps count") }
    self.logs = logs
    date = document.log_list_timestamp.flatMap(TransparencyLogs.date)
  }

  private struct Document: Decodable {
    struct Group: Decodable {
      let name: String
      let logs: [Entry]?
      let tiled_logs: [Entry]?
    }
    struct Entry: Decodable {
      let description: String?
      let log_id: String
      let key: String
      let state: [String: StateEntry]?
      let previous_operators: [Earlier]?
    }
    struct StateEntry: Decodable {
      let timestamp: String?
    }
    struct Earlier: Decodable {
      let name: String
      let end_time: String
    }
    let log_list_timestamp: String?
    let operators: [Group]
  }

  private static func log(_ entry: Document.Entry, _ name: String, _ isTiled: Bool) throws(Problem) -> ([UInt8], Log)? {
    guard let state = state(entry.state ?? [:]) else { return nil }
    let title = entry.description ?? entry.log_id
    guard let key = Data(base64Encoded: entry.key), let id = Data(base64Encoded: entry.log_id) else {
      throw Problem(message: "key or log_id of “\(title)” isn't in base64")
    }
    // RFC 6962, 3.2: "LogID is the SHA-256 hash of the log's public key".
    let digest = HashFunction.sha256.hash(key)
    guard Data(digest) == id else { throw Problem(message: "the log_id of “\(title)” isn't the SHA-256 hash of its key") }
    var earlier: [(name: String, end: Date)] = []
    for one in entry.previous_operators ?? [] {
      if let end = date(one.end_time) { earlier.append((one.name, end)) }
    }
    return (digest, Log(key: key, operator: name, earlierOperators: earlier.sorted { $0.end < $1.end }, state: state, isTiled: isTiled))
  }

  /// The state that the list gives a log; nil for a log whose timestamps don't count.
  private static func state(_ states: [String: Document.StateEntry]) -> Log.State? {
    if let retired = states["retired"] { return retired.timestamp.flatMap(date).map { .retired($0) } }
    return ["qualified", "usable", "readonly"].contains { states[$0] != nil } ? .current : nil
  }

  /// A date in the form of RFC 3339, with or without fractions of a second; nil if `text` is none.
  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}

extension TransparencyLogs: Hashable {
  package static func == (left: TransparencyLogs, right: TransparencyLogs) -> Bool { left.logs == right.logs && left.date == right.date }

  /// Only the count and the date are hashed, because this happens often: TLS contexts are looked up by their settings, these logs among them.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(logs.count)
    hasher.combine(date)
  }
}
