import Foundation
import LoadingEngine
import LoadingModel

extension URLSession {
  /// What changes over a session's life.
  struct Changing {
    var messages: DelegateMessages?
    var chain: DelegateChain
    var sessionDescription: String?
    var observers = Observers<SessionValues>()
    /// Whether the last task has ended, and the delegate has been told.
    var isInvalid = false
    /// Those that wait until it is.
    var endWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ messages: DelegateMessages?) {
      self.messages = messages
      chain = DelegateChain(task: nil, session: messages)
    }
  }

  /// What a session is made of, apart from what changes.
  struct Parts {
    let engine: LoadSession
    let pump: DelegatePump
    let protocols: ProtocolClasses
    let configuration: URLSessionConfiguration
    let messages: DelegateMessages?
    let background: (any SessionCarrier)?
    let observation: any SessionObserver
    /// A session that can't be invalidated, and whose loads are offered to the classes registered with `URLProtocol`.
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
