import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

// What a stream has to tell its delegate, and how a data task becomes one.

extension TaskLoad: StreamEvents {
  func streamReadClosed() {
    guard chain.mayImplement(.readClosed), let streamTask = task as? URLSessionStreamTask else { return }
    let (chain, session) = (chain, session)
    pump.post { chain.readClosed(session, streamTask) }
  }

  func streamWriteClosed() {
    guard chain.mayImplement(.writeClosed), let streamTask = task as? URLSessionStreamTask else { return }
    let (chain, session) = (chain, session)
    pump.post { chain.writeClosed(session, streamTask) }
  }

  func streamReceived(bytes: Int) {
    task.count { $0.received += Int64(bytes) }
  }

  func streamSent(bytes: Int) {
    task.count { $0.sent += Int64(bytes) }
  }

  func streamCaptured(_ capture: StreamCapture) {
    let connection = CapturedConnection(capture)
    guard let source = capture.source as? StreamConnection else {
      // A body needs its load for as long as it is read.
      self.capture = .told
      return postStreams(connection)
    }
    session.engine.gaveAway(source)
    self.capture = .pending(connection)
  }

  /// The task's last message.
  func postStreams(_ connection: CapturedConnection) {
    guard let streamTask = task as? URLSessionStreamTask else { return }
    let (chain, session) = (chain, session)
    pump.post {
      // Where no delegate takes the streams, they close the connection.
      let (input, output) = (CapturedInputStream(connection), CapturedOutputStream(connection))
      chain.didBecome(session, streamTask, input, output)
    }
  }

  /// The delegate wants the connection. The load stays what it is; another task has it from now on.
  nonisolated(nonsending) func becomeStream(_ dataTask: URLSessionDataTask) async throws(LoadError) -> LoadDisposition {
    guard chain.mayImplement(.didBecomeStreamTask) else {
      throw LoadError(
        .unsupportedURL, .delivery, "no delegate takes the stream; implement urlSession(_:dataTask:didBecome:) with a URLSessionStreamTask")
    }
    let streamTask = URLSessionStreamTask(
      session: session, identifier: session.registry.nextIdentifier(), request: dataTask.originalRequest?.load, pump: pump)
    handOver(dataTask, to: streamTask)
    guard let stream = streamTask.stream else { return .receiveBody }
    stream.begin(context, self)
    let (chain, session) = (chain, session)
    pump.post { if !chain.didBecome(session, dataTask, streamTask) { streamTask.cancel() } }
    return .stream(stream)
  }

  /// The load is another task's from now on.
  func handOver(_ dataTask: URLSessionDataTask, to successor: URLSessionTask) {
    // From the next line on the session may cancel it.
    successor.change { ($0.state, $0.lifecycle) = (.running, .starting) }
    session.registry.replace(dataTask, by: successor)
    let taken = dataTask.change { $0.handOver() }
    let isCancelled = successor.change { $0.takeOver(taken) }
    task = successor
    if isCancelled { context.interrupt(.cancelled()) }
    // The old task may have been suspended or resumed while it changed hands: what it had still to show, it doesn't any more.
    successor.showSuspension(context)
  }
}
