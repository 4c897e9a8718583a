import Foundation
import LoadingModel
import ProtocolRules

/// The state of one upload while it runs: the server's upload resource, and the offset from which the rest is sent. Confined to its load.
package final class ResumableUpload: @unchecked Sendable {
  // @unchecked: made on the thread that starts the task and handed to the load before it begins; from then on confined to the load's event
  // loop.

  /// The request with its whole body, as the app made it.
  package private(set) var request: LoadRequest
  /// The length of the whole body in bytes; nil while unknown.
  package private(set) var length: Int64?
  /// A stamp of the file whose upload began, by which a change is noticed; nil while unknown, and for other bodies.
  private var stamp: String?
  package private(set) var resource: UploadResource?
  /// Receives the resume data whenever it has changed; nil if nothing is to be kept.
  private var keeper: (@Sendable (Data) -> Void)?
  /// The draft version with which the upload was begun.
  private var announced = UploadDraftVersion.announced
  /// The number of bytes that the server had before the current request; the count of bytes sent begins with it.
  package private(set) var offset: Int64 = 0
  /// The largest number of bytes that the server has said to have, to earlier tasks as well.
  private var reached: Int64 = 0
  /// Whether the first request resumes an upload of an earlier task.
  private var isResumed: Bool
  /// Whether an earlier task began the upload: how much that one has sent isn't known.
  let isContinuation: Bool

  /// An upload that begins with its first byte.
  package init(_ request: LoadRequest) {
    self.request = request
    isResumed = false
    isContinuation = false
    switch request.body {
    case .data(let data): length = Int64(data.count)
    case .parts(let parts, _, _): length = parts.length
    case .none, .stream, .file, .suppliedStream, .pieces: break
    }
  }

  /// The continuation of an upload that an earlier task began.
  package init(_ data: UploadResumeData) {
    request = data.request
    length = data.length
    stamp = data.stamp
    resource = data.resource
    reached = data.offset ?? 0
    isResumed = true
    isContinuation = true
  }

  /// Begins with `request`, which may be the result of a redirect; an upload resource that another server named is forgotten.
  /// - Returns: Whether an upload of an earlier task is to be resumed.
  package func begin(_ request: LoadRequest) -> Bool {
    defer { isResumed = false }
    guard !isResumed else {
      // The request may have been upgraded to TLS.
      resource = request.url.flatMap { resource?.beside($0) }
      return true
    }
    announced = UploadDraftVersion(request.headers) ?? .announced
    resource = nil
    (offset, reached) = (0, 0)
    return false
  }

  /// Notes the upload resource and limits that an informational or final response to a request for `url` names.
  package func note(_ head: ResponseHead, from url: URL) {
    resource = UploadResource(head, url: url, announced) ?? resource?.limited(by: head)
    keepData()
  }

  /// Notes the URL to which a response redirects a request for the upload resource. False if it names none that can be used.
  func move(by head: ResponseHead) -> Bool {
    guard let moved = resource?.moved(by: head) else { return false }
    resource = moved
    keepData()
    return true
  }

  private func keepData() {
    if let keeper, let data = resumeData { keeper(data) }
  }

  /// Has `keeper` called, on the load's event loop, with the resume data that a later process needs if this one is killed. To be called before
  /// the load begins.
  package func keep(with keeper: @escaping @Sendable (Data) -> Void) { self.keeper = keeper }

  /// Whether an upload that fails is repeated later, with the data that `keep` has passed on.
  package var isRepeated: Bool { keeper != nil }

  package func goOn(from offset: Int64) { (self.offset, reached) = (offset, max(reached, offset)) }

  /// Whether a file of this length and stamp is the one whose upload began. The first file seen is remembered.
  package func fits(length: Int64, stamp: String) -> Bool {
    defer {
      if self.length == nil { self.length = length }
      if self.stamp == nil { self.stamp = stamp }
    }
    return (self.length ?? length) == length && (self.stamp ?? stamp) == stamp
  }

  /// Notes the offset at which the body's stream has ended, which is the body's length.
  package func noteEnd(at offset: Int64) { length = offset }

  /// Forgets the upload resource, because the server no longer has it.
  package func forget() { resource = nil }

  package var resumeData: Data? {
    resource.flatMap { UploadResumeData(request, $0, length: length, stamp: stamp, offset: reached)?.encoded }
  }
}
