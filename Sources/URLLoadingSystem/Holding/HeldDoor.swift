import CLoadingProcess
import Foundation
import LoadingModel

/// The socket on which a process reports the objects that its loading holds, or shows its transfers: opened when the signal arrives, for one caller
/// of the same user. The number that is sent with the signal is positive for a report, negative for the transfers.
///
/// It is an abstract socket, without a file; its name contains the random number that was sent with the signal.
package enum HeldDoor {
  /// Milliseconds for which the process waits for the caller to connect, and to read.
  static let patience: Int32 = 5_000

  package static func name(_ value: Int32) -> String { "urlload-held-\(UInt32(bitPattern: value))" }

  /// The report, sent as JSON.
  package struct Message: Codable, Sendable {
    package let held: [URLSession.HeldObject]
    /// Whether the process records where objects were made, and open answers and observations.
    package let isRecorded: Bool
  }

  /// Begins to handle the signal; a process also does that itself before it makes its first session.
  package static func prepare() { HeldReport.prepare() }

  static func answer(_ value: Int32) {
    // A signal with the value 0 wasn't sent by the tool.
    guard value != 0, let caller = accept(value) else { return }
    if value < 0 { return inspect(for: caller) }
    defer { close(caller) }
    let message = Message(held: URLSession.heldObjects(), isRecorded: HeldRecording.isOn)
    guard let data = try? JSONEncoder().encode(message) else { return }
    writeAll(data, to: caller)
  }

  /// The answer to a request to show the transfers, a line of JSON: the URL of the page, or why there is none.
  package struct Inspection: Codable, Sendable {
    /// The page's URL with its access token; nil if there is none.
    package var url: String?
    package var refusal: String?

    package init(url: String? = nil, refusal: String? = nil) { (self.url, self.refusal) = (url, refusal) }

    /// The answer as JSON with a line feed at its end.
    package var line: Data { ((try? JSONEncoder().encode(self)) ?? Data()) + Data("\n".utf8) }
  }

  private static func inspect(for caller: Int32) {
    // The inspector owns the socket from now on, and closes it when the tool does.
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

  /// Writes all of `data`; gives up if the reader has closed the socket, or doesn't read for `patience` milliseconds.
  package static func writeAll(_ data: Data, to socket: Int32) {
    var rest = data[...]
    while !rest.isEmpty {
      // MSG_NOSIGNAL: if the reader has closed the socket, an error is returned instead of a SIGPIPE.
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
