import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

// Delegate calls of a stream task, and how a data task becomes a stream task.

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
      // The streams of a response that has no connection of its own need the load as long as they are used: they are delivered now, and the load goes
      // on.
      self.capture = .told
      return postStreams(connection)
    }
    session.engine.gaveAway(source)
    self.capture = .pending(connection)
  }

  /// Gives the captured streams to the delegate; this is the task's last message.
  func postStreams(_ connection: CapturedConnection) {
    guard let streamTask = task as? URLSessionStreamTask else { return }
    let (chain, session) = (chain, session)
    pump.post {
      // If no delegate takes the streams, their release closes the connection.
      let (input, output) = (CapturedInputStream(connection), CapturedOutputStream(connection))
      chain.didBecome(session, streamTask, input, output)
    }
  }

  /// Turns a data task into a stream task when the delegate answers its response with `.becomeStream`. The load goes on; it belongs to the new task
  /// from now on.
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

  /// Passes the load from a data task to the download or stream task that it becomes.
  func handOver(_ dataTask: URLSessionDataTask, to successor: URLSessionTask) {
    // Set first: as soon as the registry has the new task, `invalidateAndCancel()` may cancel it.
    successor.change { ($0.state, $0.lifecycle) = (.running, .starting) }
    session.registry.replace(dataTask, by: successor)
    let taken = dataTask.change { $0.handOver() }
    let isCancelled = successor.change { $0.takeOver(taken) }
    task = successor
    if isCancelled { context.interrupt(.cancelled()) }
    // A suspension or resumption of the old task may have come during the change: the engine reads the new task's state once more.
    successor.showSuspension(context)
  }
}
