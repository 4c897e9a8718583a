public import Foundation
import LoadingModel

extension URLSession {
  /// Sends a form as the body of `request` and returns the whole response. An addition to Apple's API.
  ///
  /// The request's own body is ignored, and its `Content-Type` replaced; its method isn't changed: set POST. `Content-Length` is sent. If the body
  /// has to be sent again (for a redirect by 307 or 308, a challenge, or after the connection broke), files are read again.
  /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: `URLError`: `fileDoesNotExist`, or `requestBodyStreamExhausted` for a file that has changed since it was appended.
  public func upload(
    for request: URLRequest, multipart form: URLSessionMultipartFormData, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await collect(makeUploadTask(request.load(sending: form), .parts(form.whole), .awaited, delegate: delegate))
  }

  /// A task that sends a form as the body of `request` and reports to the delegate. It starts with `resume()`. An addition to Apple's API.
  ///
  /// Otherwise as `upload(for:multipart:delegate:)`.
  public func uploadTask(with request: URLRequest, multipart form: URLSessionMultipartFormData) -> URLSessionUploadTask {
    makeUploadTask(request.load(sending: form), .parts(form.whole), .delegate)
  }

  /// A task that sends a form and calls `completionHandler` once, on the delegate queue. It starts with `resume()`. An addition to Apple's
  /// API.
  ///
  /// Otherwise as `upload(for:multipart:delegate:)`.
  public func uploadTask(
    with request: URLRequest, multipart form: URLSessionMultipartFormData,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    makeUploadTask(request.load(sending: form), .parts(form.whole), .completion(completionHandler))
  }
}

extension URLSessionMultipartFormData {
  /// Whether `type`, a `Content-Type` value, has the form's boundary as its parameter.
  fileprivate func isBounded(by type: String) -> Bool {
    type.split(separator: ";").dropFirst().contains { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2, parts[0].lowercased() == "boundary" else { return false }
      return parts[1] == boundary || parts[1] == "\"\(boundary)\""
    }
  }
}

extension URLRequest {
  fileprivate func load(sending form: URLSessionMultipartFormData) -> LoadRequest {
    var request = load
    request.mutateHeaders { headers in
      // The app may set another kind of multipart itself, if it names the form's boundary.
      if let own = headers.first("Content-Type"), own.lowercased().hasPrefix("multipart/"), form.isBounded(by: own) { return }
      headers.set("Content-Type", form.contentType)
    }
    return request
  }
}
