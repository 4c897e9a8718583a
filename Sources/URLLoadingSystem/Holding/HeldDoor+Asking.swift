import CLoadingProcess
import Foundation
import LoadingModel

// Functions of the command-line tool, which asks another process for its report.

extension HeldDoor {
  /// How many times the tool tries to connect to the socket, pausing `pause` microseconds after each try: 20 seconds, as for the answer.
  private static let looks = 2_000
  private static let pause: UInt32 = 10_000
  /// Milliseconds for which the tool waits for the answer to begin and to continue: the process may have to wait for delegate queues.
  private static let answerPatience: Int32 = 20_000
  /// The largest answer that the tool reads, in bytes.
  private static let answerLimit = 64 << 20

  /// Why a process can't be asked for a report.
  package enum Refusal: Error, Equatable {
    case noProcess
    case notPermitted
    /// The process doesn't handle the signal, so that sending it would end the process.
    case notListening
    case silent
  }

  /// The environment variable that asks for a report at exit, and turns recording on from the start.
  package static var variable: String { HeldRecording.variable }

  /// The report as text for people.
  package static func text(_ held: [URLSession.HeldObject], process: Int32, name: String) -> String {
    HeldReport.text(held, process: process, name: name)
  }

  /// Asks a process for the objects that its loading holds. It takes some seconds at most.
  package static func ask(_ process: Int32) throws(Refusal) -> Message {
    let socket = try open(process, Int32.random(in: 1...Int32.max))
    defer { close(socket) }
    guard let message = try? JSONDecoder().decode(Message.self, from: readAll(socket)) else { throw .silent }
    return message
  }

  /// Makes a process record its transfers and serve them as a web page, as long as the returned socket is open.
  ///
  /// - Returns: The process's answer, and the socket, which the caller must close.
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
    guard let status = SystemFile.text("/proc/\(process)/status") else { throw .noProcess }
    let fields = status.split(separator: "\n").map { $0.split(whereSeparator: { $0 == "\t" || $0 == " " }) }
    let user = fields.first { $0.first == "Uid:" }?.dropFirst(2).first.flatMap { uid_t($0) }
    if let user, user != geteuid(), geteuid() != 0 { throw .notPermitted }
    let caught = fields.first { $0.first == "SigCgt:" }?.last.flatMap { UInt64($0, radix: 16) } ?? 0
    guard caught & (1 << UInt64(uls_report_signal() - 1)) != 0 else { throw .notListening }
  }

  /// Connects to the socket that `process` opens after it has received the signal with `value`; nil if it opens none, or if another process has
  /// opened a socket with that name.
  private static func connect(_ value: Int32, _ process: Int32) -> Int32? {
    for _ in 0..<looks {
      let socket = uls_abstract_connection(name(value))
      guard socket < 0 else {
        var (user, peer) = (uid_t(0), pid_t(0))
        // Another process that has guessed the name isn't trusted.
        if uls_local_peer(socket, &user, &peer) == 0, peer == process { return socket }
        close(socket)
        return nil
      }
      usleep(pause)
    }
    return nil
  }

  /// - Parameter end: The byte that ends the answer; nil if the answer ends with the connection.
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
