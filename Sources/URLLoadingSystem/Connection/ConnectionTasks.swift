import Foundation
import LoadingEngine
import LoadingModel

// Tasks whose calls are made elsewhere than on their session's delegate queue.

/// The data task of a connection.
final class ConnectionDataTask: URLSessionDataTask, @unchecked Sendable {
  // @unchecked: the one stored property is an immutable reference to a thread-safe object.
  private let pump: DelegatePump

  init(
    _ session: URLSession, _ request: LoadRequest, _ delivery: TaskDelivery, _ pump: DelegatePump, _ delegate: (any URLSessionTaskDelegate)?
  ) {
    self.pump = pump
    super.init(
      session: session, identifier: session.nextTaskIdentifier(), request: request, delivery: delivery, delegate: delegate)
  }

  override var deliveryPump: DelegatePump? { pump }
}

/// The download task of a connection.
final class ConnectionDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
  // @unchecked: the one stored property is an immutable reference to a thread-safe object.
  private let pump: DelegatePump

  init(
    _ session: URLSession, _ request: LoadRequest, _ point: ResumePoint?, _ pump: DelegatePump, _ delegate: (any URLSessionTaskDelegate)?
  ) {
    self.pump = pump
    super.init(
      session: session, identifier: session.nextTaskIdentifier(), request: request, delivery: .delegate, resuming: point,
      delegate: delegate)
  }

  override var deliveryPump: DelegatePump? { pump }
}
