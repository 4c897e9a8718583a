#if Inspector
  import Dispatch
  import Foundation
  import Synchronization

  /// Waits until the user presses the interrupt key. As soon as it is made, SIGINT and SIGTERM don't end the process any more.
  final class InterruptWait {
    private final class State: Sendable {
      let ended = DispatchSemaphore(value: 0)
      let isInterrupted = Atomic(false)
    }

    private let state = State()
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameter socket: A socket whose end also ends the wait; nil for none.
    init(orEndOf socket: Int32? = nil) {
      for number in [SIGINT, SIGTERM] {
        signal(number, SIG_IGN)
        add(DispatchSource.makeSignalSource(signal: number, queue: .global()), isInterrupt: true)
      }
      if let socket { add(DispatchSource.makeReadSource(fileDescriptor: socket, queue: .global()), isInterrupt: false) }
    }

    private func add(_ source: any DispatchSourceProtocol, isInterrupt: Bool) {
      let (state, registered) = (state, DispatchSemaphore(value: 0))
      source.setRegistrationHandler { registered.signal() }
      source.setEventHandler {
        if isInterrupt { state.isInterrupted.store(true, ordering: .relaxed) }
        state.ended.signal()
      }
      source.resume()
      registered.wait()
      sources.append(source)
    }

    /// Waits. Returns true after SIGINT or SIGTERM, false after the end of the socket.
    @discardableResult func wait() -> Bool {
      state.ended.wait()
      for source in sources { source.cancel() }
      return state.isInterrupted.load(ordering: .relaxed)
    }
  }
#endif
