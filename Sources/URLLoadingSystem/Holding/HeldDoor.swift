import CLoadingProcess
import Foundation
import LoadingModel

/// The socket on which a process tells what its loading holds, or has its transfers looked at: opened after the signal, for one caller of the same
/// user. The number that comes with the signal is positive for the one, negative for the other.
///
/// It has no file: its name has the random number that came with the signal.
package enum HeldDoor {
  /// Milliseconds for the caller to come, and for it to read.
  static let patience: Int32 = 5_000

  package static func name(_ value: Int32) -> String { "urlload-held-\(UInt32(bitPattern: value))" }

  /// What is sent: JSON.
  package struct Message: Codable, Sendable {
    package let held: [URLSession.HeldObject]
    /// Whether places, answers and observations are noted.
    package let isRecorded: Bool
  }

  /// Listens to the signal from now on; a process does before its first session by itself.
  package static func prepare() { HeldReport.prepare() }

  static func answer(_ value: Int32) {
    // A signal without a number is no call of the tool.
    guard value != 0, let caller = accept(value) else { return }
    if value < 0 { return inspect(for: caller) }
    defer { close(caller) }
    let message = Message(held: URLSession.heldObjects(), isRecorded: HeldRecording.isOn)
    guard let data = try? JSONEncoder().encode(message) else { return }
    writeAll(data, to: caller)
  }

  /// Where a process that is asked to show its transfers has its page, or why it has none: a line of JSON.
  package struct Inspection: Codable, Sendable {
    /// With the page's token.
    package var url: String?
    package var refusal: String?

    package init(url: String? = nil, refusal: String? = nil) { (self.url, self.refusal) = (url, refusal) }

    /// The line, with its end.
    package var line: Data { ((try? JSONEncoder().encode(self)) ?? Data()) + Data("\n".utf8) }
  }

  private static func inspect(for caller: Int32) {
    // It is the inspector's then, as long as the other side has it.
    guard uls_inspect_for(caller) == 0 else { return }
    writeAll(Inspection(refusal: "it doesn't link the product URLLoadingInspector").line, to: caller)
    close(caller)
  }

  private static func accept(_ value: Int32) -> Int32? {
    let listener = uls_abstract_listener(name(value))
    guard listener >= 0 else { return nil }
    defer { close(listener) }
    guard isReady(listener, POLLIN) else { return nil }
    let caller = uls_local_accept(listener)
    guard caller >= 0 else { return nil }
    var (user, process) = (uid_t(0), pid_t(0))
    guard uls_local_peer(caller, &user, &process) == 0, user == geteuid() || user == 0 else {
      close(caller)
      return nil
    }
    return caller
  }

  package static func isReady(_ descriptor: Int32, _ events: Int32, milliseconds: Int32 = HeldDoor.patience) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  /// A reader that doesn't read, or goes, gets what it has got.
  package static func writeAll(_ data: Data, to socket: Int32) {
    var rest = data[...]
    while !rest.isEmpty {
      // Its reader may be gone: no SIGPIPE.
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        guard errno == EINTR || isReady(socket, POLLOUT) else { return }
      } else {
        return
      }
    }
  }
}
