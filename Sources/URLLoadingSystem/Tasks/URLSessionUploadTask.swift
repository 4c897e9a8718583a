import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

/// A task that sends a body and delivers the response as data.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  // @unchecked: stores nothing; subclasses answer for what they add.
  /// Cancels the upload, and hands over what `URLSession.uploadTask(withResumeData:)` needs to resume it.
  ///
  /// The data is there only if the server has said that it supports resumable uploads (draft-ietf-httpbis-resumable-upload), and the body
  /// can be had again: data, a file, or a stream with `urlSession(_:task:needNewBodyStreamFrom:completionHandler:)`. It holds the request's
  /// header fields, and a body that was given as data. The task itself ends with `URLError.cancelled`, which carries the same data.
  /// - Parameter completionHandler: Runs once, on the delegate queue; nil if the upload can't be resumed.
  @preconcurrency
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancel(producingResumeData: completionHandler)
  }

  /// The `async` spelling of `cancel(byProducingResumeData:)`.
  open func cancelByProducingResumeData() async -> Data? {
    await firstAnswer { cancel(byProducingResumeData: $0) }
  }

  override var resumeDataKey: String? { NSURLSessionUploadTaskResumeData }

  /// The state that the load keeps to resume the upload; nil if the body can't be had again.
  func resumable(_ request: LoadRequest, _ chain: DelegateChain) -> ResumableUpload? {
    if let earlier = fields.withLock({ $0.resumedUpload }) { return ResumableUpload(earlier) }
    switch request.body {
    case .data(let data): return data.isEmpty ? nil : ResumableUpload(request)
    case .file, .parts: return ResumableUpload(request)
    // A body of a delegate's stream can only be resumed if the delegate can supply a stream that begins in the middle.
    case .suppliedStream: return chain.mayImplement(.needNewBodyStreamFromOffset) ? ResumableUpload(request) : nil
    case .none, .stream, .pieces: return nil
    }
  }
}
