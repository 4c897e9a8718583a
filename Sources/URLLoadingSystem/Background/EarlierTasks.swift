import BackgroundTransfers
import Foundation
import LoadingModel

/// Makes task objects for tasks of earlier processes, from the daemon's records.
///
/// Made by `BackgroundSession` for one message.
struct EarlierTasks {
  let session: URLSession

  /// The task that an event is about; nil if the event has no readable order, or the session has become invalid.
  func restored(_ event: TransferEvent) -> URLSessionTask? {
    guard let order = event.order else { return nil }
    let outcome = event.outcome
    let progress = TransferProgress(
      task: order.task, sent: outcome.sent, received: outcome.received, expectedToSend: outcome.expectedToSend,
      expectedToReceive: outcome.expectedToReceive)
    return task(TransferState(order: order, isSuspended: false, progress: progress))
  }

  /// Makes a task for an event whose record can't be read any more: its identifier and URL tell the app which task it was.
  func unreadable(_ event: TransferEvent) -> URLSessionTask? {
    let url = event.outcome.error?.failingURL.flatMap { URL(string: $0) }
    let task = newTask(event.task, event.kind ?? event.order?.kind ?? .download, url.map { URLRequest(url: $0).load })
    return session.registry.addLate(task) ? task : nil
  }

  /// Makes the task of a transfer; nil if the daemon's record can't be read, or the session has become invalid.
  func task(_ transfer: TransferState) -> URLSessionTask? {
    let order = transfer.order
    guard let request = BackgroundCoding.request(order.request)?.load.withoutAttachedCookies else { return nil }
    let task = newTask(order.task, order.kind, request)
    task.fields.withLock { fields in
      fields.carried = CarriedFields(source: order.source, resumeData: order.resumeData)
      fields.suspensions = transfer.isSuspended ? 1 : 0
      fields.state = transfer.isSuspended ? .suspended : .running
      fields.taskDescription = order.description
      fields.priority = order.priority
      fields.earliestBeginDate = order.earliestBegin
      fields.clientExpectsToSend = order.expectsToSend
      fields.clientExpectsToReceive = order.expectsToReceive
      fields.response = transfer.response.flatMap { BackgroundCoding.response($0) }
      fields.sent = transfer.progress.sent
      fields.received = transfer.progress.received
      // The daemon doesn't know the count of a download before its first attempt; the task then has that of its request.
      if order.kind == .upload || transfer.progress.expectedToSend >= 0 { fields.expectedToSend = transfer.progress.expectedToSend }
      fields.expectedToReceive = transfer.progress.expectedToReceive
    }
    guard session.registry.addLate(task) else { return nil }
    return task
  }

  private func newTask(_ identifier: Int, _ kind: TransferOrder.Kind, _ request: LoadRequest?) -> URLSessionTask {
    let task: URLSessionTask =
      switch kind {
      case .download:
        URLSessionDownloadTask(
          session: session, identifier: identifier, request: request, delivery: .delegate, resuming: nil, delegate: nil)
      case .upload: URLSessionUploadTask(session: session, identifier: identifier, request: request, delivery: .delegate)
      }
    task.fields.withLock { fields in
      fields.lifecycle = .carried
      fields.suspensions = 0
      fields.state = .running
    }
    return task
  }
}
