import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// What the app is told about one of its tasks, in order. Written from the app's callbacks, read by the runner.
final class Journal: Sendable {
  /// One thing that the app was told.
  enum Entry: Sendable, Equatable {
    case created, opened, closed, file, becameDownload, becameStream
    case challenge(String)
    case redirect(Int)
    case informational(Int)
    case response(Int)
    /// Bytes of the response.
    case data(Int)
    /// Bytes in all.
    case sent(Int64), written(Int64), resumed(Int64)
    case metrics
    /// The task's end, by its delegate; with the error's code.
    case completed(Int?)
    /// The end by a handler, a thrown error, a returned value or a publisher's completion.
    case returned(Int?)
    /// What the app has given up itself, and isn't told about.
    case abandoned
  }

  struct State: Sendable {
    var entries: [Entry] = []
    /// The response's content as far as it came.
    var body = Data()
    /// What the end came with.
    var status: Int?
    var marks: Set<Moment> = []
    var ends = 0
    /// Entries that came after the end.
    var late: [Entry] = []
    /// Conversations that are under way.
    var readers = 0
    /// When the app closed its WebSocket, and when the end came after that.
    var closing: ContinuousClock.Instant?
    var closed: ContinuousClock.Instant?
  }

  let number: Int
  let state = Watched(State())
  /// Whether the end is the delegate's call, and not a handler's.
  let isEndedByDelegate: Bool

  init(_ number: Int, isEndedByDelegate: Bool) { (self.number, self.isEndedByDelegate) = (number, isEndedByDelegate) }

  var entries: [Entry] { state.read(\.entries) }
  var hasEnded: Bool { state.read { $0.ends > 0 } }

  func note(_ entry: Entry, _ mark: Moment? = nil) {
    state.update { state in
      if state.ends > 0 { state.late.append(entry) }
      state.entries.append(entry)
      if let mark { state.marks.insert(mark) }
    }
  }

  /// The app is about to close its WebSocket.
  func closes() { state.update { $0.closing = .now } }

  /// How long the end took after the app had closed its WebSocket; nil if it hasn't.
  var timeToClose: Duration? { state.read { state in state.closing.flatMap { closing in state.closed.map { $0 - closing } } } }

  /// A conversation begins, or ends.
  func reads(_ change: Int) { state.update { $0.readers += change } }

  func mark(_ moment: Moment) { state.update { _ = $0.marks.insert(moment) } }

  func took(_ bytes: Data) {
    state.update { state in
      if state.ends > 0 { state.late.append(.data(bytes.count)) }
      state.entries.append(.data(bytes.count))
      state.body.append(bytes)
      if !bytes.isEmpty { state.marks.insert(.received) }
    }
  }

  /// The content is what a file has.
  func took(file: URL) {
    let content = (try? Data(contentsOf: file)) ?? Data()
    state.update { state in
      if state.ends > 0 { state.late.append(.file) }
      state.entries.append(.file)
      state.body = content
      state.marks.insert(.received)
    }
  }

  func got(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return }
    state.update { state in
      state.status = response.statusCode
      state.marks.insert(.responded)
    }
  }

  /// The task is over, as one of the app's ways of being told says.
  func end(_ entry: Entry) {
    let counts: Bool
    switch entry {
    case .completed: counts = isEndedByDelegate
    default: counts = true
    }
    state.update { state in
      if state.ends > 0 { state.late.append(entry) }
      state.entries.append(entry)
      if counts { state.ends += 1 }
      if counts, state.closing != nil { state.closed = .now }
    }
  }

  /// The code of the end's error; nil without an error, or without an end.
  var code: Int? {
    for entry in entries.reversed() {
      switch entry {
      case .completed(let code): if isEndedByDelegate { return code }
      case .returned(let code): return code
      default: continue
      }
    }
    return nil
  }

  /// The entries as text.
  var told: String {
    entries.map { "\($0)".replacing("CombinationTests.Journal.Entry.", with: "") }.joined(separator: " ")
  }

  var wasAbandoned: Bool { entries.contains(.abandoned) }
}
