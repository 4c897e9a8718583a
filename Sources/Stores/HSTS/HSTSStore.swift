import Dispatch
import Foundation
import ProtocolRules

/// Remembers which hosts asked to be reached by TLS only (RFC 6797): in memory, and on disk for sessions that keep things.
///
/// What is noted counts at once in this process and is on disk shortly after: a kill in between costs one note, which the host repeats.
/// Thread-safe; nothing here blocks its caller.
package final class HSTSStore: Sendable {
  /// The process's store on disk.
  package static let shared = HSTSStore(file: StoreLocation.standard.hstsFile)

  private let table: TableStore<HSTSHosts>

  /// A store in memory, for sessions that keep nothing.
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

  /// As `requiresTLS`, from what is known without asking the disk.
  package func isKnownToRequireTLS(_ host: String, now: Date) -> Bool {
    table.known { $0.requiresTLS(host, now: now) }
  }

  /// Brings the mirror up to date with the disk. Other loads continue meanwhile.
  package func refresh() async { await table.refresh() }

  /// Notes what a response from `host` over an error-free secure connection asked for.
  package func note(_ policy: StrictTransportSecurity, from host: String, now: Date) {
    table.change(now: now) { hosts in hosts.change(by: policy, from: host, now: now).map { [$0] } ?? [] }
  }

  /// Forgets every host.
  package func removeAll() { table.removeAll() }

  /// Returns when everything noted so far is on disk, as far as the disk takes it.
  package func flush() async { await table.flush() }
}
