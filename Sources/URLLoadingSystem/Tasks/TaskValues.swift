import Foundation
import LoadingModel

/// The observable properties of a task at one moment.
struct TaskValues: Sendable {
  let state: URLSessionTask.State
  let response: URLResponse?
  let error: (any Error)?
  let countOfBytesSent: Int64
  let countOfBytesReceived: Int64
  let countOfBytesExpectedToSend: Int64
  let countOfBytesExpectedToReceive: Int64
  let countOfBytesClientExpectsToSend: Int64
  let countOfBytesClientExpectsToReceive: Int64
  let priority: Float
  let prefersIncrementalDelivery: Bool
  let earliestBeginDate: Date?
  let taskDescription: String?
  private let request: LoadRequest?
  private let upload: UploadRequest?

  var currentRequest: URLRequest? { request.map { URLRequest(load: upload?.shown($0) ?? $0) } }

  init(_ fields: URLSessionTask.Fields) {
    state = fields.state
    response = fields.response
    error = fields.error
    countOfBytesSent = fields.sent
    countOfBytesReceived = fields.received
    countOfBytesExpectedToSend = fields.expectedToSend
    countOfBytesExpectedToReceive = fields.expectedToReceive
    countOfBytesClientExpectsToSend = fields.clientExpectsToSend
    countOfBytesClientExpectsToReceive = fields.clientExpectsToReceive
    priority = fields.priority
    prefersIncrementalDelivery = fields.prefersIncrementalDelivery
    earliestBeginDate = fields.earliestBeginDate
    taskDescription = fields.taskDescription
    request = fields.currentRequest
    upload = fields.upload
  }
}

extension URLSessionTask.Fields: ObservedFields {
  var observed: TaskValues { TaskValues(self) }
}
