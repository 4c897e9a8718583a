import BackgroundTransfers
import URLLoadingSystem

/// The questions that apps have been asked and haven't answered.
struct QuestionTable {
  typealias Answer = TransferApps.ChallengeAnswer

  enum Subject {
    case challenge(TransferRun, URLAuthenticationChallenge, Answer)
    /// Whether a transfer with an `earliestBeginDate` may begin (`willBeginDelayedRequest`).
    case delay(transfer: Int64)
    /// A challenge that wasn't answered in time: an answer causes a new attempt of the transfer, in which the app is asked again.
    case late(transfer: Int64)
  }

  struct Question {
    let session: Int64
    let subject: Subject
  }

  private var next: Int64 = 1
  private(set) var open: [Int64: Question] = [:]

  /// - Returns: The question's number.
  mutating func add(_ subject: Subject, for session: Int64) -> Int64 {
    defer { next += 1 }
    open[next] = Question(session: session, subject: subject)
    return next
  }

  /// Removes and returns the question, because it is answered; nil if it wasn't asked of this session, or was answered before.
  mutating func take(_ number: Int64, from session: Int64) -> Subject? {
    guard let question = open[number], question.session == session else { return nil }
    open[number] = nil
    return question.subject
  }

  mutating func remove(_ number: Int64) { open[number] = nil }

  /// The time for the answer is over: the challenge becomes a late question. Of one transfer only the latest late question is kept.
  mutating func putOff(_ number: Int64, of transfer: Int64) {
    guard let session = open[number]?.session else { return }
    removeLate(of: transfer)
    open[number] = Question(session: session, subject: .late(transfer: transfer))
  }

  /// Whether a challenge of the transfer wasn't answered in time, and still isn't.
  func isLate(of transfer: Int64) -> Bool {
    open.values.contains { if case .late(transfer) = $0.subject { true } else { false } }
  }

  /// Removes late questions of the transfer, because its app is asked again or the transfer has ended.
  mutating func removeLate(of transfer: Int64) {
    open = open.filter { if case .late(transfer) = $0.value.subject { false } else { true } }
  }

  func numbers(of session: Int64) -> [Int64] { open.filter { $0.value.session == session }.keys.sorted() }
}
