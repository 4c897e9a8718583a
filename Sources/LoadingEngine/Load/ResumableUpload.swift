import Foundation
import LoadingModel
import ProtocolRules

/// What is known of one upload while it runs: where the server keeps it, and from where the rest is sent. Confined to its load.
package final class ResumableUpload: @unchecked Sendable {
  // @unchecked: made on the thread that starts the task and handed to the load before it begins; from then on confined to the load's event
  // loop.

  /// The request with its whole body, as the app made it.
  package private(set) var request: LoadRequest
  /// Bytes in all, if known.
  package private(set) var length: Int64?
  /// What tells whether a file is still the one whose upload began.
  private var stamp: String?
  package private(set) var resource: UploadResource?
  /// Told of resume data whenever it has changed.
  private var keeper: (@Sendable (Data) -> Void)?
  /// The version that the upload was begun with.
  private var announced = UploadDraftVersion.announced
  /// Bytes that the server had before the request under way: the count of bytes sent begins with it.
  package private(set) var offset: Int64 = 0
  /// Whether the first request resumes an upload of an earlier task.
  private var isResumed: Bool

  /// An upload from its first byte.
  package init(_ request: LoadRequest) {
    self.request = request
    isResumed = false
    switch request.body {
    case .data(let data): length = Int64(data.count)
    case .parts(let parts, _, _): length = parts.length
    case .none, .stream, .file, .suppliedStream, .pieces: break
    }
  }

  /// The rest of an upload that an earlier task began.
  package init(_ data: UploadResumeData) {
    request = data.request
    length = data.length
    stamp = data.stamp
    resource = data.resource
    isResumed = true
  }

  /// Begins with `request`, which a redirect may have made; a place that another server named counts no longer.
  /// - Returns: Whether to resume what an earlier task has sent.
  package func begin(_ request: LoadRequest) -> Bool {
    defer { isResumed = false }
    guard !isResumed else {
      // The request may have been upgraded to TLS.
      resource = request.url.flatMap { resource?.beside($0) }
      return true
    }
    announced = UploadDraftVersion(request.headers) ?? .announced
    resource = nil
    offset = 0
    return false
  }

  /// What an informational or final response to a request for `url` says of the upload's place and limits.
  package func note(_ head: ResponseHead, from url: URL) {
    resource = UploadResource(head, url: url, announced) ?? resource?.limited(by: head)
    if let keeper, let data = resumeData { keeper(data) }
  }

  /// Has `keeper` told, on the load's event loop, what a later process needs if this one is killed. Before the load begins.
  package func keep(with keeper: @escaping @Sendable (Data) -> Void) { self.keeper = keeper }

  /// Whether an upload that fails is tried again later, by what the keeper was told.
  package var isRepeated: Bool { keeper != nil }

  package func goOn(from offset: Int64) { self.offset = offset }

  /// Whether a file of this length and stamp is the one whose upload began: what is seen first counts.
  package func fits(length: Int64, stamp: String) -> Bool {
    defer {
      if self.length == nil { self.length = length }
      if self.stamp == nil { self.stamp = stamp }
    }
    return (self.length ?? length) == length && (self.stamp ?? stamp) == stamp
  }

  /// A stream has ended: its length is known from now on.
  package func noteEnd(at offset: Int64) { length = offset }

  /// The server has nothing of it any more.
  package func forget() { resource = nil }

  package var resumeData: Data? {
    resource.flatMap { UploadResumeData(request, $0, length: length, stamp: stamp)?.encoded }
  }
}
