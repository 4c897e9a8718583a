import BackgroundTransfers
import Foundation
import LoadingModel

/// Encodes and decodes requests, responses, errors, challenges and metrics, as they are sent between an app and the daemon.
package enum BackgroundCoding {
  /// Encodes a request, without what is of use in one process only: body streams and properties set with `URLProtocol.setProperty`.
  package static func data(_ request: URLRequest) -> Data? { try? MessageCoding.encode(RequestValue(request.load)) }

  /// Decodes a request; nil if `data` isn't an encoded request.
  package static func request(_ data: Data) -> URLRequest? {
    (try? MessageCoding.decode(RequestValue.self, from: data)).map { URLRequest(load: $0.request) }
  }

  /// Encodes a response; nil for a response without a URL.
  package static func data(_ response: URLResponse) -> Data? {
    ResponseValue(response).flatMap { try? MessageCoding.encode($0) }
  }

  /// Decodes a response; nil if `data` isn't an encoded response.
  package static func response(_ data: Data) -> URLResponse? {
    (try? MessageCoding.decode(ResponseValue.self, from: data))?.response
  }

  /// Converts an error to a value with the properties that apps read from a `URLError`. Server certificates and underlying errors are left out.
  package static func value(_ error: any Error) -> ErrorValue {
    let given = error as NSError
    var value = ErrorValue(domain: given.domain, code: given.code, description: given.localizedDescription)
    if let error = error as? URLError {
      value.description = error.localizedDescription
      value.failingURL = error.failingURL?.absoluteString
      value.resumeData = error.downloadTaskResumeData ?? error.uploadTaskResumeData
      value.cancelledReason = error.backgroundTaskCancelledReason?.rawValue
    }
    if given.userInfo[LoadError.streamErrorDomainKey] as? Int == LoadError.tlsErrorDomain {
      value.tlsCode = given.userInfo[LoadError.streamErrorCodeKey] as? Int
    }
    value.reason = given.userInfo[NSLocalizedFailureReasonErrorKey] as? String
    return value
  }

  /// Makes the app's error: a `URLError` for the domain `NSURLErrorDomain`, otherwise an `NSError`.
  /// - Parameter resumeDataKey: The key of `userInfo` under which resume data is stored.
  package static func error(_ value: ErrorValue, resumeDataKey: String) -> any Error {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: value.description]
    if let text = value.failingURL {
      userInfo[LoadError.failingURLStringKey] = text
      if let url = URL(string: text) { userInfo[NSURLErrorFailingURLErrorKey] = url }
    }
    if let reason = value.reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    if let data = value.resumeData { userInfo[resumeDataKey] = data }
    if let reason = value.cancelledReason { userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] = reason }
    if let code = value.tlsCode {
      userInfo[LoadError.streamErrorDomainKey] = LoadError.tlsErrorDomain
      userInfo[LoadError.streamErrorCodeKey] = code
    }
    guard value.domain == NSURLErrorDomain else { return NSError(domain: value.domain, code: value.code, userInfo: userInfo) }
    return URLError(URLError.Code(rawValue: value.code) ?? .unknown, userInfo: userInfo)
  }

  /// As `error(_:resumeDataKey:)`, with the key for a download's resume data.
  package static func error(_ value: ErrorValue) -> any Error {
    error(value, resumeDataKey: NSURLSessionDownloadTaskResumeData)
  }
}
