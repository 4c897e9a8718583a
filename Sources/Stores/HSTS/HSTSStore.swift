import Dispatch
import Foundation
import ProtocolRules

/// Remembers which hosts must be reached by TLS only (HSTS, RFC 6797): in memory, and on disk for sessions with persistent stores.
///
/// A note counts at once in this process, and is on disk shortly after: if the process is killed in between one note is lost, which the host repeats.
/// Thread-safe; nothing here blocks its caller.
package final class HSTSStore: Sendable {
  /// The persistent store of this process.
  package static let shared = HSTSStore(file: StoreLocation.standard.hstsFile)

  private let table: TableStore<HSTSHosts>

  /// A store in memory, for sessions without persistent stores.
  package init() { table = TableStore(file: nil, queue: HSTSStore.makeQueue()) }

  /// A store on disk. The file is opened, or made, when it is first needed.
  ///
  /// - Parameter queue: A serial queue on which the file is read and written; nil makes one.
  package init(file: URL, queue: DispatchQueue? = nil) { table = TableStore(file: file, queue: queue ?? HSTSStore.makeQueue()) }

  private static func makeQueue() -> DispatchQueue { DispatchQueue(label: "org.url-loading-system.hsts", qos: .utility) }

  /// Whether loads from `host` must use TLS; nil if the disk has to be asked: call `refresh()` and ask again.
  ///
  /// - Parameter host: As in `Origin.host`.
  package func requiresTLS(_ host: String, now: @autoclosure () -> Date) -> Bool? {
    if let known = table.current({ !$0.isEmpty && $0.requiresTLS(host, now: now()) }) { return known }
    // An address is never in the table: no reason to open it.
    if case .address = HostKind(host) { return false }
    return nil
  }

  /// As `requiresTLS`, but from memory alone, without asking the disk: false if memory doesn't have the host.
  package func isKnownToRequireTLS(_ host: String, now: Date) -> Bool {
    table.known { $0.requiresTLS(host, now: now) }
  }

  /// Reads the table from disk if other processes have changed it. Other loads go on meanwhile.
  package func refresh() async { await table.refresh() }

  /// Notes the Strict-Transport-Security field of a response from `host`, received over a secure connection without errors (RFC 6797, 8.1).
  package func note(_ policy: StrictTransportSecurity, from host: String, now: Date) {
    table.change(now: now) { hosts in hosts.change(by: policy, from: host, now: now).map { [$0] } ?? [] }
  }

  /// Forgets every host.
  package func removeAll() { table.removeAll() }

  /// Returns when everything noted so far is on disk, or the disk has refused it.
  package func flush() async { await table.flush() }
}
