import Foundation
import LoadingModel

/// Writes the steps of a run: to the console with `-v`, and to the file of `--trace`. Thread-safe.
final class Narration: Sendable {
  private let console: Console?
  let trace: TraceFile?
  let masking: Masking.Degree
  /// Whether frames of HTTP/2 and HTTP/3 are written (`-vv`).
  let tellsFrames: Bool
  /// Pieces of bodies that have come before their head was traced, by task identifier. A task has an entry from its request until its response's head
  /// is traced.
  private let early = Mutex<[Int: [Data]]>([:])

  init(_ console: Console?, _ trace: TraceFile?, masking: Masking.Degree, tellsFrames: Bool = false) {
    self.console = console
    self.trace = trace
    self.masking = masking
    self.tellsFrames = tellsFrames
  }

  /// Writes a step, described in words.
  func tell(_ text: String) {
    let text = Printable.text(text)
    console?.line("* \(text)")
    trace?.note(text)
  }

  /// Writes the head of a request: request line and fields.
  func sends(_ lines: [String], of task: Int) {
    settle(task)
    if trace != nil { early.withLock { $0[task] = [] } }
    for line in lines { console?.line("> \(Printable.text(line))") }
    console?.line(">")
    trace?.dump(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), as: "=> Send header")
  }

  /// Writes a response's head to the trace; the console gets it from `Fetch`.
  func traces(_ head: ResponseHead, of task: Int? = nil) {
    guard let trace else { return }
    defer { task.map(settle) }
    let fields = head.headers.entries.map { Masking.field($0.name, $0.value, masking) }
    for line in ["\(head.version) \(head.status)" + (head.reason.isEmpty ? "" : " \(head.reason)")] + fields + [""] {
      trace.dump(Data("\(line)\r\n".utf8), as: "<= Recv header")
    }
  }

  /// Writes a piece of a response's body to the trace, or keeps it until the response's head is traced.
  func traces(_ body: Data, of task: Int) {
    let isEarly = early.withLock { early in
      early[task]?.append(body)
      return early[task] != nil
    }
    if !isEarly { trace?.dump(body, as: "<= Recv data") }
  }

  /// The task's response head is traced, or won't come: writes the pieces of the body that were kept.
  func settle(_ task: Int) {
    for body in early.withLock({ $0.removeValue(forKey: task) }) ?? [] { trace?.dump(body, as: "<= Recv data") }
  }

  /// Writes a line of a dialogue with a server, such as FTP's.
  func line(_ text: String, isSent: Bool) {
    console?.line("\(isSent ? ">" : "<") \(Printable.text(text))")
    trace?.dump(Data("\(text)\r\n".utf8), as: isSent ? "=> Send header" : "<= Recv header")
  }

  /// Writes a trailer field.
  func trailer(_ field: String) {
    console?.line("< \(Printable.text(field)) (trailer)")
    trace?.dump(Data("\(field)\r\n".utf8), as: "<= Recv trailer")
  }
}
