import Foundation
import HTTPPolicy
import LoadingModel

/// What is known of one upload while it runs: where the server keeps it, and from where the rest is sent. Confined to its load.
package final class ResumableUpload: @unchecked Sendable {
  // @unchecked: confined to the load's event loop once the load has begun.

  /// The request with its whole body, as the app made it.
  package private(set) var request: LoadRequest
  /// Bytes in all, if known.
  package private(set) var length: Int64?
  package private(set) var resource: UploadResource?
  /// Bytes that the server had before the request under way: what counts of bytes sent begin with.
  package private(set) var offset: Int64 = 0
  /// Whether the first request goes on with an upload of an earlier task.
  private var isResumed: Bool

  /// An upload from its first byte.
  package init(_ request: LoadRequest) {
    self.request = request
    isResumed = false
    if case .data(let data) = request.body { length = Int64(data.count) }
  }

  /// The rest of an upload that an earlier task began.
  package init(_ data: UploadResumeData) {
    request = data.request
    length = data.length
    resource = data.resource
    isResumed = true
  }

  /// Begins with `request`, which a redirect may have made; a place that another server named counts no longer.
  /// - Returns: Whether to go on with what an earlier task has sent.
  package func begin(_ request: LoadRequest) -> Bool {
    defer { isResumed = false }
    guard !isResumed else { return true }
    resource = nil
    offset = 0
    return false
  }

  package func note(_ head: ResponseHead, from url: URL) {
    if let named = UploadResource(head, url: url) { resource = named }
  }

  package func goOn(from offset: Int64) { self.offset = offset }

  /// The length of the body in all, once it is known.
  package func note(length: Int64) {
    if self.length == nil, length >= 0 { self.length = length }
  }

  /// The server has everything, or nothing any more.
  package func forget() { resource = nil }

  package var resumeData: Data? {
    resource.flatMap { UploadResumeData(request, $0, length: length)?.encoded }
  }
}
