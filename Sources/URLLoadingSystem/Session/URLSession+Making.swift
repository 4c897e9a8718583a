import Foundation
import LoadingModel
import ProtocolRules

// Creation of data and upload tasks, for delegates, completion handlers and async functions alike.

extension URLSession {
  func makeDataTask(_ request: LoadRequest, _ delivery: TaskDelivery, delegate: (any URLSessionTaskDelegate)? = nil) -> URLSessionDataTask {
    let identifier = nextTaskIdentifier()
    let task = URLSessionDataTask(session: self, identifier: identifier, request: request, delivery: delivery, delegate: delegate)
    if delivery.hasCaller { task.joinCurrentProgress() }
    if !registry.add(task) { task.refuse() }
    background?.admit(task, delivery)
    announce(task)
    return task
  }

  func makeUploadTask(
    resuming resumeData: Data, _ delivery: TaskDelivery, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    let earlier = UploadResumeData(resumeData)
    let sent = earlier?.request ?? LoadRequest(url: nil)
    var request = sent
    request.mutate { $0.body = .none }
    let task = makeUploadTask(request, sent.body, delivery, resumeData: resumeData, delegate: delegate)
    task.fields.withLock { fields in
      fields.resumedUpload = earlier
      guard earlier == nil else { return }
      fields.refusal =
        fields.refusal
        ?? LoadError(.unsupportedURL, .admission, "the resume data isn't that of an upload: pass on what a task handed out, unchanged")
    }
    return task
  }

  func makeUploadTask(
    _ request: LoadRequest, _ body: LoadRequest.Body, _ delivery: TaskDelivery, resumeData: Data? = nil,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    let upload = UploadRequest(request, sending: body)
    let identifier = nextTaskIdentifier()
    let task = URLSessionUploadTask(
      session: self, identifier: identifier, request: request, upload: upload, delivery: delivery, delegate: delegate)
    if delivery.hasCaller { task.joinCurrentProgress() }
    if !registry.add(task) { task.refuse() }
    background?.admit(task, delivery, resumeData: resumeData)
    announce(task)
    return task
  }

  /// Tells the delegate of a new task, on the thread that makes it (as Apple documents for this one method).
  func announce(_ task: URLSessionTask) {
    let chain = task.chain
    if chain.mayImplement(.didCreateTask), !registry.isInvalid { chain.didCreateTask(self, task) }
  }
}
