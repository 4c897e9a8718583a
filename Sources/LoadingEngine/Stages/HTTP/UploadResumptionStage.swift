import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat
import ProtocolRules

/// Resumes an upload whose connection broke, if the server supports that (draft-ietf-httpbis-resumable-upload): asks how much has arrived and
/// sends the rest. Loads that aren't uploads pass.
///
/// It is above cookies and authentication, so that the requests it makes itself have both.
struct UploadResumptionStage: Stage {
  /// The most attempts in a row that bring no further byte to the server.
  private static let attemptLimit = 5

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { load.upload == nil || !request.hasUploadBody }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    // A redirect may have turned the upload into a GET.
    guard let upload = next.load.upload, request.hasUploadBody else { return try await next(request, context) }
    var isResuming = upload.begin(request)
    var (attempts, reached) = (0, upload.offset)
    while true {
      do throws(LoadError) {
        if isResuming { return try await resume(request, upload, context, next) }
        return try await begin(request, upload, context, next)
      } catch {
        guard context.failure == nil, upload.resource != nil, mayPass(error, isResuming: isResuming) else { throw error }
        if upload.offset > reached { attempts = 0 }
        reached = max(reached, upload.offset)
        attempts += 1
        guard attempts <= UploadResumptionStage.attemptLimit else { throw error }
        isResuming = true
        if attempts > 1 || error.kind != .networkConnectionLost {
          try await context.pause(seconds: 0.25 * Double(1 << max(0, attempts - 2)))
        }
        context.beginTransaction(request)
      }
    }
  }

  /// Whether another attempt may succeed. If there is an upload to resume, a server or network that can't be reached may soon be back. `timedOut`
  /// is that of the connection here: a load whose own time is over has ended.
  private func mayPass(_ error: LoadError, isResuming: Bool) -> Bool {
    switch error.kind {
    case .networkConnectionLost, .timedOut, .cannotConnectToHost: true
    case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: isResuming
    case .secureConnectionFailed: isResuming && error.resendReason == .cutOff
    default: false
    }
  }

  private func begin(
    _ request: LoadRequest, _ upload: ResumableUpload, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    let loaded = try await next(UploadResource.creation(request), context)
    guard let head = loaded.response.httpHead, let url = request.url, UploadDraftVersion.isPartial(head) else { return loaded }
    upload.note(head, from: url)
    // The server has received a part and wants the rest, but has named no URL at which to append it.
    guard upload.resource != nil else { return loaded }
    try await discard(loaded, context)
    throw UploadResumptionStage.lost
  }

  private func resume(
    _ request: LoadRequest, _ upload: ResumableUpload, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let resource = upload.resource else { throw UploadResumptionStage.lost }
    let question = resource.offsetRequest(for: request)
    context.record.request = question
    next.load.refusedAttempts = 0
    let asked = try await next(question, context)
    guard let head = asked.response.httpHead else { throw UploadResumptionStage.lost }
    if (300..<400).contains(head.status) { throw try await redirected(asked, head, upload, context) }
    let standing = UploadStanding(head, length: upload.length, sent: upload.isContinuation ? nil : context.sentOfUpload)
    // The upload had succeeded, and its response is lost: the response to this question, which says that it is complete, takes its place.
    if case .complete = standing { return asked }
    upload.note(head, from: resource.location)
    try await discard(asked, context)
    switch standing {
    case .unknown, .complete: throw UploadResumptionStage.lost
    case .gone: throw gone(upload)
    case .holds(let offset): return try await append(request, from: offset, upload, context, next)
    }
  }

  /// Sends the bytes from `start` on, in as many requests as the server's limit demands.
  private func append(
    _ request: LoadRequest, from start: Int64, _ upload: ResumableUpload, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    var offset = start
    // Each turn appends bytes, so that the length of the body bounds their number.
    while true {
      guard let resource = upload.resource, let (bytes, end) = request.body.rest(from: offset, atMost: resource.appendLimit, upload.length)
      else { throw UploadResumptionStage.lost }
      upload.goOn(from: offset)
      let appending = resource.appendRequest(for: request, at: offset, bytes, isLast: end == nil)
      context.beginTransaction(appending)
      next.load.refusedAttempts = 0
      var loaded = try await next(appending, context)
      guard let head = loaded.response.httpHead else { return loaded }
      if try await isContradicted(head, &loaded) {
        // The server has another offset than it said before, because bytes of the broken connection were still arriving: it is asked again.
        try await discard(loaded, context)
        throw UploadResumptionStage.lost
      }
      // The app hasn't made this request: a response that only reports temporary trouble of the server isn't passed on as one to the upload.
      if upload.isRepeated, ResumeRules.isPassing(head.status) {
        try await discard(loaded, context)
        throw UploadResumptionStage.lost
      }
      // A redirect of this part isn't one of the app's request, which would send the whole body elsewhere. But 303 for the last part says where the
      // result of the upload is (RFC 9110, 15.4.4).
      if (300..<400).contains(head.status), head.status != 303 || end != nil {
        throw try await redirected(loaded, head, upload, context)
      }
      guard UploadDraftVersion.isPartial(head) || (end != nil && (200..<300).contains(head.status)) else {
        try await checkEnd(loaded, head, upload, context)
        return loaded
      }
      upload.note(head, from: resource.location)
      try await discard(loaded, context)
      // If the stream ended in this part, the server doesn't know that yet: one more part, perhaps an empty one, tells it.
      let isAtEnd = end != nil && offset == upload.length
      guard let reached = UploadStanding.offset(head.headers) ?? end.map({ min($0, upload.length ?? $0) }),
        reached > offset || isAtEnd && reached == offset
      else { throw UploadResumptionStage.lost }
      // Bytes behind this part haven't been sent.
      guard reached <= min(end ?? .max, upload.length ?? .max) else { throw gone(upload) }
      offset = reached
    }
  }

  /// Drops a redirect of a request for the upload resource. Returns the error of this attempt: the next asks for the offset at the new URL, unless
  /// that can't be used.
  private func redirected(
    _ loaded: Loaded, _ head: ResponseHead, _ upload: ResumableUpload, _ context: LoadContext
  ) async throws(LoadError) -> LoadError {
    try await discard(loaded, context)
    guard upload.move(by: head) else { return gone(upload) }
    return LoadError(.networkConnectionLost, .send, "the server has redirected the interrupted upload to another URL")
  }

  /// Checks that a success of the last part doesn't contradict itself by an offset other than the body's end.
  private func checkEnd(
    _ loaded: Loaded, _ head: ResponseHead, _ upload: ResumableUpload, _ context: LoadContext
  ) async throws(LoadError) {
    guard (200..<300).contains(head.status), let reached = UploadStanding.offset(head.headers), let length = upload.length,
      reached != length
    else { return }
    try await discard(loaded, context)
    throw LoadError(
      .badServerResponse, .head,
      "the server says that the upload has succeeded, but that it has \(reached) of its \(length) bytes: ask it what it has stored")
  }

  /// Forgets the place of the upload. Returns the error with which it ends.
  private func gone(_ upload: ResumableUpload) -> LoadError {
    upload.forget()
    return LoadError(
      .networkConnectionLost, .send,
      "the server knows nothing of the interrupted upload any more, or has another in its place: begin a new upload")
  }

  private func isContradicted(_ head: ResponseHead, _ loaded: inout Loaded) async throws(LoadError) -> Bool {
    guard UploadProblem.isDescribed(head) else { return UploadProblem(head, description: Data()) != nil }
    let (description, whole) = try await loaded.peeking(UploadProblem.readLimit)
    loaded = whole
    return UploadProblem(head, description: Data(buffer: description, byteTransferStrategy: .copy)) != nil
  }

  /// Reads and drops the response to a request that the app hasn't made.
  private func discard(_ loaded: Loaded, _ context: LoadContext) async throws(LoadError) {
    context.record.response = loaded.response
    try await loaded.discardBody(context)
  }

  private static var lost: LoadError {
    LoadError(.networkConnectionLost, .send, "the connection broke during the upload, and the server couldn't say how much it has")
  }
}

extension LoadContext {
  /// The offset up to which bytes of an upload's body have been given to a connection, by all attempts; nil if there were none.
  fileprivate var sentOfUpload: Int64? {
    let ends = allRecords.compactMap { record -> Int64? in
      guard record.requestBodyBytes > 0 else { return nil }
      return (UploadStanding.offset(record.request.headers) ?? 0) &+ record.requestBodyBytes
    }
    return ends.max()
  }
}

extension Load {
  /// Whether the request has the body of an upload for which the server has named an upload resource: after an error its bytes aren't sent again
  /// from the beginning.
  func isResumed(_ request: LoadRequest) -> Bool { upload?.resource != nil && request.hasUploadBody }
}

extension LoadRequest {
  /// Whether the request still has the body of an upload; a redirect may have removed it.
  fileprivate var hasUploadBody: Bool {
    switch body {
    case .data, .file, .parts, .suppliedStream: true
    case .none, .stream, .pieces: false
    }
  }
}

extension LoadRequest.Body {
  /// The body from byte `offset` on, and the byte before which it ends if `limit` cuts it off, or may do so; nil if the body is shorter, or can't
  /// be read again.
  /// - Parameter length: The length of the whole body in bytes; nil while unknown: a stream's is known when it has been read to its end.
  fileprivate func rest(from offset: Int64, atMost limit: Int64?, _ length: Int64?) -> (LoadRequest.Body, end: Int64?)? {
    let (limited, isTooBig) = offset.addingReportingOverflow(limit ?? .max)
    let longest: Int64 = if case .suppliedStream = self { .max } else { 0 }
    let end = isTooBig || limited >= length ?? longest ? nil : limited
    switch self {
    case .data(let data):
      guard offset <= data.count else { return nil }
      return (.data(data.dropFirst(Int(offset)).prefix(Int((end ?? Int64(data.count)) - offset))), end)
    case .file(let url, _, _): return (.file(url, from: offset, upTo: end), end)
    case .parts(let parts, _, _): return (.parts(parts, from: offset, upTo: end), end)
    case .suppliedStream:
      // All bytes have been sent: an empty part tells the server that the upload is complete.
      if let length, offset >= length { return offset == length ? (.data(Data()), nil) : nil }
      return (.suppliedStream(from: offset, upTo: end), end)
    case .none, .stream, .pieces: return nil
    }
  }
}
