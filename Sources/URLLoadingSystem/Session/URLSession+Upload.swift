import Foundation
import LoadingModel

extension URLSession {
  /// Sends `bodyData` as the body of `request` and returns the whole response.
  ///
  /// The request's own body is ignored; its method isn't changed: set POST or PUT. Cancelling the Swift task cancels the upload and throws
  /// `URLError.cancelled`. An HTTP status of 400 and above isn't an error.
  /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: `URLError`.
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await collect(makeUploadTask(request.load, .data(bodyData), .awaited, delegate: delegate))
  }

  /// Sends a file as the body of `request` and returns the whole response. The file is never held in memory.
  ///
  /// The file must stay as it is while it is sent. Otherwise as `upload(for:from:delegate:)`.
  /// - Throws: `URLError`, such as `fileDoesNotExist`.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await collect(makeUploadTask(request.load, .file(fileURL), .awaited, delegate: delegate))
  }

  /// Resumes an upload that was interrupted, and returns the whole response. Apple's platforms have no such method.
  /// - Parameter resumeData: As for `uploadTask(withResumeData:)`.
  /// - Throws: `URLError`; if the upload broke once more, with new resume data in its user info.
  public func upload(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await collect(makeUploadTask(resuming: resumeData, .awaited, delegate: delegate))
  }

  /// As `upload(for:from:delegate:)`, without a delegate, so that a reference to the method such as `session.upload(for:from:)` finds it.
  @_disfavoredOverload
  public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
    try await upload(for: request, from: bodyData, delegate: nil)
  }

  /// As `upload(for:fromFile:delegate:)`, without a delegate, so that a reference to the method such as `session.upload(for:fromFile:)` finds it.
  @_disfavoredOverload
  public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
    try await upload(for: request, fromFile: fileURL, delegate: nil)
  }
}
