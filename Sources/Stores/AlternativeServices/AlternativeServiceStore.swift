import Dispatch
import Foundation
import LoadingModel
import ProtocolRules

/// Remembers where else origins are served, as they have said in Alt-Svc (RFC 7838): in memory, and on disk for sessions that keep things.
///
/// No load waits for the disk: until it has been read, what it has counts as not known. Thread-safe; nothing here blocks its caller.
package final class AlternativeServiceStore: Sendable {
  /// The process's store on disk.
  package static let shared = AlternativeServiceStore(file: StoreLocation.standard.alternativesFile)

  private let table: TableStore<AlternativeServiceMemory>

  /// A store in memory, for sessions that keep nothing.
  package init() { table = TableStore(file: nil, queue: AlternativeServiceStore.makeQueue()) }

  /// A store on disk. The file is opened, or made, when it is first needed.
  ///
  /// - Parameter queue: A serial queue on which the file is read and written; nil makes one.
  package init(file: URL, queue: DispatchQueue? = nil) {
    table = TableStore(file: file, queue: queue ?? AlternativeServiceStore.makeQueue())
  }

  private static func makeQueue() -> DispatchQueue { DispatchQueue(label: "org.url-loading-system.alternatives", qos: .utility) }

  /// The alternatives of `origin` that are known to hold now, in the server's order of preference; without asking the disk.
  package func services(of origin: Origin, now: @autoclosure () -> Date) -> [AlternativeService] {
    table.known { $0.isEmpty ? [] : $0.services(of: origin, now: now()) }
  }

  /// Whether what is known is what all processes have noted. If not, `refresh` makes it so.
  package var isCurrent: Bool { table.isCurrent }

  /// Brings what is known up to date with the disk, then calls `done`, on another thread or at once.
  package func refresh(_ done: @escaping @Sendable () -> Void) { table.refresh(done) }

  /// As `refresh(_:)`.
  package func refresh() async { await table.refresh() }

  /// Notes what a response from `origin` says, which has come over a connection whose server was authenticated.
  ///
  /// - Parameter now: When it came.
  package func note(_ head: ResponseHead, from origin: Origin, now: Date) {
    table.change(now: now) { known in known.change(by: head, from: origin, now: now).map { [$0] } ?? [] }
  }

  /// The place of `origin` for HTTP/3 has turned out not to be one.
  package func forget(host: String, port: Int, of origin: Origin, now: Date) {
    table.change(now: now) { known in known.changeByForgetting("h3", host: host, port: port, of: origin).map { [$0] } ?? [] }
  }

  /// The machine is on another network: only what outlasts that is kept.
  package func networkChanged(now: Date) {
    table.change(now: now) { $0.changesOfNetwork() }
  }

  /// Forgets everything.
  package func removeAll() { table.removeAll() }

  /// Returns when everything noted so far is on disk, as far as the disk takes it.
  package func flush() async { await table.flush() }
}
