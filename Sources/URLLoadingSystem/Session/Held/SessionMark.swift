import CLoadingProcess
import Foundation
import LoadingModel

/// A session's entry in the list of sessions. It holds the session's address: a strong reference would keep it, and a weak one would make each use of
/// the session slower.
///
/// The session's deinit takes the lock to clear the address, so `look` never sees a session that is gone. `body` must not keep the session.
final class SessionMark: Sendable {
  let creation = Date()
  let place = HeldRecording.place
  let scope = HeldRecording.isOn ? HeldScope.current : nil
  private let address = Mutex<UInt>(0)

  /// Calls `body` with the session and the number of strong references to it; nil if the session has been deallocated.
  func look<Result: Sendable>(_ body: (URLSession, _ references: Int) -> Result) -> Result? {
    address.withLock { address in
      guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
      // The count is read before this function makes a reference of its own.
      let references = Int(uls_retain_count(pointer))
      return body(Unmanaged<URLSession>.fromOpaque(pointer).takeUnretainedValue(), references)
    }
  }

  fileprivate func begin(_ session: URLSession) {
    address.withLock { $0 = UInt(bitPattern: Unmanaged.passUnretained(session).toOpaque()) }
  }

  fileprivate func end() { address.withLock { $0 = 0 } }
}

/// The sessions of the process that haven't become invalid, oldest first.
enum SessionRoll {
  private static let marks = Mutex<[ObjectIdentifier: SessionMark]>([:])

  static var all: [SessionMark] { marks.withLock { Array($0.values) }.sorted { $0.creation < $1.creation } }

  static func add(_ session: URLSession) {
    HeldRecording.prepareReports()
    session.mark.begin(session)
    marks.withLock { $0[ObjectIdentifier(session.mark)] = session.mark }
  }

  /// Removes a session that has become invalid or is being deallocated.
  static func remove(_ mark: SessionMark) {
    marks.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(mark)) }
    mark.end()
  }
}
