import LoadingModel
import struct Synchronization.Atomic

/// A task delegate that is known to take no challenges, so that its loads can share connections whose server the session's delegate has accepted
/// although its certificate failed the evaluation.
package protocol LeavesChallengesToSession: URLSessionTaskDelegate {}

/// What is known about which optional methods a delegate's class implements, and in which form.
///
/// One per class and process, shared by all its instances; thread-safe. A fact is learned when a method is first called, and stays: a class can't
/// change the methods with which it conforms to a protocol.
/// good, because a class cannot change the methods it conforms with.
final class DelegateTraits: Sendable {
  /// The form in which a class implements a method.
  enum Spelling: Equatable, Sendable {
    case unknown
    /// A synchronous method; with a completion handler if it has an answer.
    case plain
    case asynchronous
    case absent
  }

  private static let learned = Mutex<[ObjectIdentifier: DelegateTraits]>([:])

  private let plain = Atomic<UInt64>(0)
  private let asynchronous = Atomic<UInt64>(0)
  private let absent: Atomic<UInt64>

  private init(of delegate: any URLSessionDelegate) {
    var absent: UInt64 = 0
    if !(delegate is any URLSessionTaskDelegate) { absent |= DelegateMethod.bits(.didCreateTask, through: .didComplete) }
    if delegate is any LeavesChallengesToSession {
      absent |= DelegateMethod.didReceiveTaskChallenge.bit | DelegateMethod.didReceiveSessionChallenge.bit
    }
    if !(delegate is any URLSessionDataDelegate) { absent |= DelegateMethod.bits(.didReceiveResponse, through: .willCacheResponse) }
    if !(delegate is any URLSessionDownloadDelegate) { absent |= DelegateMethod.bits(.didFinishDownloading, through: .didResumeDownload) }
    if !(delegate is any URLSessionStreamDelegate) { absent |= DelegateMethod.bits(.readClosed, through: .didBecomeStreams) }
    if !(delegate is any URLSessionWebSocketDelegate) { absent |= DelegateMethod.bits(.didOpenWebSocket, through: .didCloseWebSocket) }
    self.absent = Atomic(absent)
  }

  /// The traits of the delegate's class, shared by all its instances.
  static func of(_ delegate: any URLSessionDelegate) -> DelegateTraits {
    let key = ObjectIdentifier(type(of: delegate))
    if let traits = learned.withLock({ $0[key] }) { return traits }
    let traits = DelegateTraits(of: delegate)
    return learned.withLock { table in
      if let winner = table[key] { return winner }
      table[key] = traits
      return traits
    }
  }

  func isAbsent(_ method: DelegateMethod) -> Bool {
    absent.load(ordering: .relaxed) & method.bit != 0
  }

  /// Whether a method from `first` to `last` may be implemented; false only if all of them are known to be absent.
  func mayImplementAny(_ first: DelegateMethod, through last: DelegateMethod) -> Bool {
    ~absent.load(ordering: .relaxed) & DelegateMethod.bits(first, through: last) != 0
  }

  func spelling(of method: DelegateMethod) -> Spelling {
    if isAbsent(method) { return .absent }
    if plain.load(ordering: .relaxed) & method.bit != 0 { return .plain }
    if asynchronous.load(ordering: .relaxed) & method.bit != 0 { return .asynchronous }
    return .unknown
  }

  func learn(_ method: DelegateMethod, _ spelling: Spelling) {
    switch spelling {
    case .unknown: break
    case .plain: plain.bitwiseOr(method.bit, ordering: .relaxed)
    case .asynchronous: asynchronous.bitwiseOr(method.bit, ordering: .relaxed)
    case .absent: absent.bitwiseOr(method.bit, ordering: .relaxed)
    }
  }
}
