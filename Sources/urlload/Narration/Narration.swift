import Foundation
import LoadingModel

/// Where the steps of a run are told: the console with `-v`, and the file of `--trace`. Thread-safe.
final class Narration: Sendable {
  private let console: Console?
  let trace: TraceFile?
  let masking: Masking.Degree
  /// Whether frames of HTTP/2 and HTTP/3 are told: `-vv`.
  let tellsFrames: Bool
  /// Pieces of bodies that came along with heads which haven't been traced, by the number of their task; no entry where no head is due.
  private let early = Mutex<[Int: [Data]]>([:])

  init(_ console: Console?, _ trace: TraceFile?, masking: Masking.Degree, tellsFrames: Bool = false) {
    self.console = console
    self.trace = trace
    self.masking = masking
    self.tellsFrames = tellsFrames
  }

  /// A step, in words.
  func tell(_ text: String) {
    let text = Printable.text(text)
    console?.line("* \(text)")
    trace?.note(text)
  }

  /// The head of a request: its first line and its fields.
  func sends(_ lines: [String], of task: Int) {
    settle(task)
    if trace != nil { early.withLock { $0[task] = [] } }
    for line in lines { console?.line("> \(Printable.text(line))") }
    console?.line(">")
    trace?.dump(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), as: "=> Send header")
  }

  /// A response's head, which the console is told elsewhere.
  func traces(_ head: ResponseHead, of task: Int? = nil) {
    guard let trace else { return }
    defer { task.map(settle) }
    let fields = head.headers.entries.map { Masking.field($0.name, $0.value, masking) }
    for line in ["\(head.version) \(head.status)" + (head.reason.isEmpty ? "" : " \(head.reason)")] + fields + [""] {
      trace.dump(Data("\(line)\r\n".utf8), as: "<= Recv header")
    }
  }

  /// A piece of a response's body, which is traced behind its head.
  func traces(_ body: Data, of task: Int) {
    let isEarly = early.withLock { early in
      early[task]?.append(body)
      return early[task] != nil
    }
    if !isEarly { trace?.dump(body, as: "<= Recv data") }
  }

  /// No head of the task's is due any more.
  func settle(_ task: Int) {
    for body in early.withLock({ $0.removeValue(forKey: task) }) ?? [] { trace?.dump(body, as: "<= Recv data") }
  }

  /// A line of a dialogue, such as FTP's.
  func line(_ text: String, isSent: Bool) {
    console?.line("\(isSent ? ">" : "<") \(Printable.text(text))")
    trace?.dump(Data("\(text)\r\n".utf8), as: isSent ? "=> Send header" : "<= Recv header")
  }

  /// A field behind a response's body.
  func trailer(_ field: String) {
    console?.line("< \(Printable.text(field)) (trailer)")
    trace?.dump(Data("\(field)\r\n".utf8), as: "<= Recv trailer")
  }
}
