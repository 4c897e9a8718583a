import BackgroundTransfers
import Foundation
import LoadingModel

/// The public objects of a transfer as values that travel between an app and the daemon, and back.
package enum BackgroundCoding {
  /// The request without what can't leave the process: body streams and values attached for `URLProtocol`.
  package static func data(_ request: URLRequest) -> Data? { try? MessageCoding.encode(RequestValue(request.load)) }

  /// nil if `data` isn't an encoded request.
  package static func request(_ data: Data) -> URLRequest? {
    (try? MessageCoding.decode(RequestValue.self, from: data)).map { URLRequest(load: $0.request) }
  }

  /// nil for a response without a URL.
  package static func data(_ response: URLResponse) -> Data? {
    ResponseValue(response).flatMap { try? MessageCoding.encode($0) }
  }

  /// nil if `data` isn't an encoded response.
  package static func response(_ data: Data) -> URLResponse? {
    (try? MessageCoding.decode(ResponseValue.self, from: data))?.response
  }

  /// An error with what `URLError` is asked for. Server certificates and underlying errors stay behind.
  package static func value(_ error: any Error) -> ErrorValue {
    let given = error as NSError
    var value = ErrorValue(domain: given.domain, code: given.code, description: given.localizedDescription)
    if let error = error as? URLError {
      value.description = error.localizedDescription
      value.failingURL = error.failingURL?.absoluteString
      value.resumeData = error.downloadTaskResumeData ?? error.uploadTaskResumeData
      value.cancelledReason = error.backgroundTaskCancelledReason?.rawValue
    }
    value.reason = given.userInfo[NSLocalizedFailureReasonErrorKey] as? String
    return value
  }

  /// A `URLError` for a code of its domain.
  /// - Parameter resumeDataKey: Where the error's resume data is looked for.
  package static func error(_ value: ErrorValue, resumeDataKey: String) -> any Error {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: value.description]
    if let text = value.failingURL {
      userInfo[LoadError.failingURLStringKey] = text
      if let url = URL(string: text) { userInfo[NSURLErrorFailingURLErrorKey] = url }
    }
    if let reason = value.reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    if let data = value.resumeData { userInfo[resumeDataKey] = data }
    if let reason = value.cancelledReason { userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] = reason }
    guard value.domain == NSURLErrorDomain else { return NSError(domain: value.domain, code: value.code, userInfo: userInfo) }
    return URLError(URLError.Code(rawValue: value.code) ?? .unknown, userInfo: userInfo)
  }

  /// As `error(_:resumeDataKey:)`, of a download.
  package static func error(_ value: ErrorValue) -> any Error {
    error(value, resumeDataKey: NSURLSessionDownloadTaskResumeData)
  }
}
