import Foundation
import LoadingModel

/// Decides whether an app's retry policy repeats a request, and after which pause.
package enum RetryPolicyRules {
  /// How an attempt has ended.
  package enum Outcome: Sendable {
    case status(Int, retryAfter: String?)
    case error(LoadError)
  }

  package enum Decision: Sendable, Equatable {
    case retry(afterSeconds: Double)
    case giveUp(Reason)

    package enum Reason: Sendable, Equatable {
      /// Success, or a failure that another attempt wouldn't change.
      case lasting
      case attemptsUsed
      /// The method isn't idempotent: a repetition could do harm.
      case methodNotIdempotent
      /// The body can't be read again.
      case bodyNotReplayable
      /// The pause that the server asks for, or that back-off yields, is longer than the policy allows.
      case tooLong
    }
  }

  /// - Parameters:
  ///   - attempts: The number of attempts so far, at least 1.
  ///   - waited: The sum of the pauses so far, in seconds.
  ///   - chance: A random number from 0 to 1: the part of the longest pause that is waited. Drawn anew for each decision, so that clients don't
  ///     all come back at once.
  package static func decide(
    _ policy: RetryPolicy, _ outcome: Outcome, _ request: LoadRequest, bodyWasTouched: Bool, attempts: Int, waited: Double, chance: Double,
    now: Date
  ) -> Decision {
    var asked: Double?
    switch outcome {
    case .status(let status, let field):
      guard isPassing(status: status, policy) else { return .giveUp(.lasting) }
      asked = seconds(retryAfter: field, now: now)
    case .error(let error):
      guard isPassing(code: error.kind.rawValue, policy) else { return .giveUp(.lasting) }
    }
    guard attempts < policy.attempts else { return .giveUp(.attemptsUsed) }
    guard policy.repeatsUnsafe || isRepeatable(request) else { return .giveUp(.methodNotIdempotent) }
    guard RetryRules.isReplayable(request.body, bodyWasTouched) else { return .giveUp(.bodyNotReplayable) }
    // "Full jitter": a random part of the pause, so that clients that have failed together don't come back together.
    let bound = min(policy.longestDelay, policy.firstDelay * exp2(Double(min(attempts, 60) - 1)))
    let wait = max(bound * chance, asked ?? 0)
    guard wait <= policy.longestDelay, waited + wait <= policy.totalDelay else { return .giveUp(.tooLong) }
    return .retry(afterSeconds: wait)
  }

  /// Whether a response with this status is one that the policy repeats.
  package static func isPassing(status: Int, _ policy: RetryPolicy) -> Bool { policy.statuses.contains(status) }

  /// Whether an error is one that the policy repeats.
  /// - Parameter code: A code of `URLError`.
  package static func isPassing(code: Int, _ policy: RetryPolicy) -> Bool { policy.errors.contains(code) }

  /// Whether the request's method is idempotent (RFC 9110, 9.2.2), or the field Idempotency-Key lets the server recognise a repetition.
  private static func isRepeatable(_ request: LoadRequest) -> Bool {
    RetryRules.isIdempotent(request.method) || request.headers.contains("Idempotency-Key")
  }

  /// The pause that a `Retry-After` field asks for: seconds, or a date (RFC 9110, 10.2.3). nil for anything else.
  package static func seconds(retryAfter field: String?, now: Date) -> Double? {
    guard let field = field?.trimmingCharacters(in: .whitespaces) else { return nil }
    if !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // A number with too many digits means a long time, not a missing field.
      return Double(UInt32(field) ?? .max)
    }
    return HTTPDate.parse(field, now: now).map { max(0, $0.timeIntervalSince(now)) }
  }
}

/// Counts the loads and repetitions of the last minute, so that repetitions don't overload a server that fails. A value of fixed size.
package struct RetryBudget: Sendable {
  private static let span: UInt64 = 60

  private struct Second: Sendable {
    var number: UInt64 = 0
    var loads = 0
    var retries = 0
  }

  private var seconds = [Second](repeating: Second(), count: Int(RetryBudget.span))

  package init() {}

  package mutating func countLoad(_ now: Instant) { change(now) { $0.loads += 1 } }

  /// Whether the budget allows one more repetition; if so, it is counted.
  package mutating func take(_ policy: RetryPolicy, _ now: Instant) -> Bool {
    let first = RetryBudget.second(now) &- min(RetryBudget.second(now), RetryBudget.span - 1)
    let recent = seconds.filter { $0.number >= first }
    let (loads, retries) = (recent.reduce(0) { $0 + $1.loads }, recent.reduce(0) { $0 + $1.retries })
    guard Double(retries) < max(Double(policy.reserve), Double(loads) * policy.budget) else { return false }
    change(now) { $0.retries += 1 }
    return true
  }

  private mutating func change(_ now: Instant, _ body: (inout Second) -> Void) {
    let number = RetryBudget.second(now)
    let index = Int(number % RetryBudget.span)
    if seconds[index].number != number { seconds[index] = Second(number: number) }
    body(&seconds[index])
  }

  /// The second of `now` as a number; counted from 1, so that 0 marks an unused entry.
  private static func second(_ now: Instant) -> UInt64 { now.nanoseconds / 1_000_000_000 + 1 }
}
