import Foundation
import LoadingEngine
import LoadingModel

extension URLSession {
  /// The fields of a session that change after its initialisation; guarded by `URLSession.changing`.
  struct Changing {
    var messages: DelegateMessages?
    var chain: DelegateChain
    var sessionDescription: String?
    var observers = Observers<SessionValues>()
    /// Whether the last task has ended, and the delegate has been told.
    var isInvalid = false
    /// Callers of `waitUntilInvalid()`, resumed when the session has become invalid.
    var endWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ messages: DelegateMessages?) {
      self.messages = messages
      chain = DelegateChain(task: nil, session: messages)
    }
  }

  /// The immutable parts of a session, made before the session itself.
  struct Parts {
    let engine: LoadSession
    let pump: DelegatePump
    let protocols: ProtocolClasses
    let configuration: URLSessionConfiguration
    let messages: DelegateMessages?
    let background: (any SessionCarrier)?
    let observation: any SessionObserver
    /// Whether this is `URLSession.shared`, which can't be invalidated, and whose loads are offered to the classes registered with `URLProtocol`.
    let isShared: Bool

    init(_ configuration: URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue?, isShared: Bool) {
      ArchiveNames.register()
      self.isShared = isShared
      self.configuration = configuration.snapshot()
      if configuration.identifier == nil, configuration.unixSocketPath != nil { self.configuration.separateFromNetwork() }
      messages = delegate.map(DelegateMessages.init)
      engine = LoadSession(SessionSettings.make(self.configuration))
      pump = DelegatePump(queue, of: engine.executor)
      observation = self.configuration.makeObserver()
      let kept = self.configuration
      background = kept.makeCarrier(messages)
      protocols = ProtocolClasses(kept.identifier == nil ? kept.protocolClasses : nil, includesRegistered: isShared)
    }
  }
}
