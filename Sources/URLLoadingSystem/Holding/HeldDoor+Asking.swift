import CLoadingProcess
import Foundation

// The tool's side.

extension HeldDoor {
  /// Looks for the socket, each this many microseconds after the one before.
  private static let looks = 500
  private static let pause: UInt32 = 10_000
  /// Milliseconds for the answer to begin, and to go on: delegate queues may be waited for.
  private static let answerPatience: Int32 = 20_000
  /// Bytes of an answer that are read.
  private static let answerLimit = 64 << 20

  /// Why a process can't be asked.
  package enum Refusal: Error, Equatable {
    case noProcess
    case notPermitted
    /// The process doesn't handle the signal, which would end it.
    case notListening
    case silent
  }

  /// The variable that asks for a report at exit, and has things noted from the start.
  package static var variable: String { HeldRecording.variable }

  /// A report for people.
  package static func text(_ held: [URLSession.HeldObject], process: Int32, name: String) -> String {
    HeldReport.text(held, process: process, name: name)
  }

  /// Asks a process what its loading holds. It takes some seconds at most.
  package static func ask(_ process: Int32) throws(Refusal) -> Message {
    let socket = try open(process, Int32.random(in: 1...Int32.max))
    defer { close(socket) }
    guard let message = try? JSONDecoder().decode(Message.self, from: readAll(socket)) else { throw .silent }
    return message
  }

  /// Has a process record its transfers and serve them as a page, as long as the socket is open.
  ///
  /// - Returns: The answer, and the socket, which is the caller's to close.
  package static func inspect(_ process: Int32) throws(Refusal) -> (Inspection, socket: Int32) {
    let socket = try open(process, Int32.random(in: Int32.min...(-1)))
    guard let inspection = try? JSONDecoder().decode(Inspection.self, from: readAll(socket, upTo: UInt8(ascii: "\n"))) else {
      close(socket)
      throw .silent
    }
    return (inspection, socket)
  }

  private static func open(_ process: Int32, _ value: Int32) throws(Refusal) -> Int32 {
    try checkListening(process)
    guard uls_report_signal_send(process, value) == 0 else { throw errno == EPERM ? .notPermitted : .noProcess }
    guard let socket = connect(value, process) else { throw .silent }
    return socket
  }

  private static func checkListening(_ process: Int32) throws(Refusal) {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { throw .noProcess }
    let fields = status.split(separator: "\n").map { $0.split(whereSeparator: { $0 == "\t" || $0 == " " }) }
    let user = fields.first { $0.first == "Uid:" }?.dropFirst(2).first.flatMap { uid_t($0) }
    if let user, user != geteuid(), geteuid() != 0 { throw .notPermitted }
    let caught = fields.first { $0.first == "SigCgt:" }?.last.flatMap { UInt64($0, radix: 16) } ?? 0
    guard caught & (1 << UInt64(uls_report_signal() - 1)) != 0 else { throw .notListening }
  }

  /// A connection to the socket that `process` opens some moments after the signal that carried `value`; nil if it opens none, or another
  /// process has its name.
  private static func connect(_ value: Int32, _ process: Int32) -> Int32? {
    for _ in 0..<looks {
      let socket = uls_abstract_connection(name(value))
      guard socket < 0 else {
        var (user, peer) = (uid_t(0), pid_t(0))
        // Another process that has guessed the name isn't believed.
        if uls_local_peer(socket, &user, &peer) == 0, peer == process { return socket }
        close(socket)
        return nil
      }
      usleep(pause)
    }
    return nil
  }

  /// - Parameter end: The byte that ends the answer; nil where it ends with the connection.
  private static func readAll(_ socket: Int32, upTo end: UInt8? = nil) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while data.count < answerLimit, isReady(socket, POLLIN, milliseconds: answerPatience) {
      let count = read(socket, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { break }
      data.append(contentsOf: buffer.prefix(count))
      if let end, data.last == end { break }
    }
    return data
  }
}
