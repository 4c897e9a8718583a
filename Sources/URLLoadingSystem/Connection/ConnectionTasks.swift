import Foundation
import LoadingEngine
import LoadingModel

// Tasks of connections: their delegate calls are made by a pump of their own, not on the session's delegate queue.

/// The data task of an `NSURLConnection` or `NSURLDownload`; its pump delivers where the connection is scheduled.
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

/// The download task of an `NSURLConnection` or `NSURLDownload`; its pump delivers where the connection is scheduled.
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
