import Dispatch
import Foundation
import LoadingModel
import ProtocolRules

/// Remembers the alternative services that origins have announced by Alt-Svc (RFC 7838): in memory, and on disk for sessions with persistent stores.
///
/// No load waits for the disk: until the file has been read, its alternatives count as unknown. Thread-safe; nothing here blocks its caller.
package final class AlternativeServiceStore: Sendable {
  /// The persistent store of this process.
  package static let shared = AlternativeServiceStore(file: StoreLocation.standard.alternativesFile)

  private let table: TableStore<AlternativeServiceMemory>

  /// A store in memory, for sessions without persistent stores.
  package init() { table = TableStore(file: nil, queue: AlternativeServiceStore.makeQueue()) }

  /// A store on disk. The file is opened, or made, when it is first needed.
  ///
  /// - Parameter queue: A serial queue on which the file is read and written; nil makes one.
  package init(file: URL, queue: DispatchQueue? = nil) {
    table = TableStore(file: file, queue: queue ?? AlternativeServiceStore.makeQueue())
  }

  private static func makeQueue() -> DispatchQueue { DispatchQueue(label: "org.url-loading-system.alternatives", qos: .utility) }

  /// The alternatives of `origin` that memory has and that haven't expired, in the server's order of preference. The disk isn't asked.
  package func services(of origin: Origin, now: @autoclosure () -> Date) -> [AlternativeService] {
    table.known { $0.isEmpty ? [] : $0.services(of: origin, now: now()) }
  }

  /// Whether memory has everything that all processes have noted. If not, `refresh` reads it.
  package var isCurrent: Bool { table.isCurrent }

  /// Reads from the disk what other processes have noted, then calls `done`, on another thread or at once.
  package func refresh(_ done: @escaping @Sendable () -> Void) { table.refresh(done) }

  /// Reads from the disk what other processes have noted.
  package func refresh() async { await table.refresh() }

  /// Notes the Alt-Svc field of a response from `origin`; only of one from an authenticated server.
  ///
  /// - Parameter now: When the response came.
  package func note(_ head: ResponseHead, from origin: Origin, now: Date) {
    table.change(now: now) { known in known.change(by: head, from: origin, now: now).map { [$0] } ?? [] }
  }

  /// Forgets an alternative of `origin` for HTTP/3, because it has turned out not to serve the origin.
  package func forget(host: String, port: Int, of origin: Origin, now: Date) {
    table.change(now: now) { known in known.changeByForgetting("h3", host: host, port: port, of: origin).map { [$0] } ?? [] }
  }

  /// The machine is on another network: forgets all alternatives without `persist=1` (RFC 7838, 3.1).
  package func networkChanged(now: Date) {
    table.change(now: now) { $0.changesOfNetwork() }
  }

  /// Forgets all alternatives.
  package func removeAll() { table.removeAll() }

  /// Returns when everything noted so far is on disk, or the disk has refused it.
  package func flush() async { await table.flush() }
}
