import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel

/// Goes on with an upload whose connection broke, where the server says that it can (draft-ietf-httpbis-resumable-upload): asks how much
/// has arrived and sends the rest. Loads that aren't uploads pass through.
///
/// Stands above cookies and authentication, so that its own requests have both.
struct UploadResumptionStage: Stage {
  /// Attempts in a row that brought no byte across.
  private static let attemptLimit = 5

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let upload = context.upload, request.hasUploadBody else { return try await next(request, context) }
    var isResuming = upload.begin(request)
    var (attempts, reached) = (0, upload.offset)
    while true {
      do throws(LoadError) {
        guard isResuming else { return try await next(UploadResource.creation(request), context) }
        return try await resume(request, upload, context, next)
      } catch {
        guard context.failure == nil, upload.resource != nil, error.kind == .networkConnectionLost else { throw error }
        if upload.offset > reached { attempts = 0 }
        reached = max(reached, upload.offset)
        attempts += 1
        guard attempts <= UploadResumptionStage.attemptLimit else { throw error }
        isResuming = true
        if attempts > 1 { try await pause(context, seconds: 0.25 * Double(1 << (attempts - 2))) }
        context.beginTransaction(request)
      }
    }
  }

  private func resume(
    _ request: LoadRequest, _ upload: ResumableUpload, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let resource = upload.resource else { throw UploadResumptionStage.lost }
    let asked = try await next(resource.offsetRequest(for: request), context)
    context.record.response = asked.response
    try await asked.discardBody(context)
    guard let head = asked.response.httpHead else { throw UploadResumptionStage.lost }
    switch UploadStanding(head, length: upload.length) {
    case .unknown: throw UploadResumptionStage.lost
    case .gone:
      upload.forget()
      throw LoadError(
        .networkConnectionLost, .send, "the server knows nothing of the interrupted upload any more: begin a new upload")
    case .complete:
      upload.forget()
      throw LoadError(
        .networkConnectionLost, .send, "the server has the whole upload, but the connection was lost before its answer came")
    case .holds(let offset):
      guard let rest = request.body.rest(from: offset) else { throw UploadResumptionStage.lost }
      upload.goOn(from: offset)
      let append = resource.appendRequest(for: request, at: offset, rest)
      context.beginTransaction(append)
      let loaded = try await next(append, context)
      // Another opinion of the offset: the server still had bytes of the broken connection on their way. It is asked again.
      guard loaded.response.status == 409 else { return loaded }
      try await loaded.discardBody(context)
      throw UploadResumptionStage.lost
    }
  }

  private func pause(_ context: LoadContext, seconds: Double) async throws(LoadError) {
    try await AppWait<Void>.ask(context) { wait in
      context.clock.wake(at: context.clock.now.advanced(bySeconds: seconds)) { wait.answer(()) }
    }
  }

  private static var lost: LoadError {
    LoadError(.networkConnectionLost, .send, "the connection broke during the upload, and the server couldn't say how much it has")
  }
}

extension LoadRequest {
  /// Whether the request still has the body of an upload: a redirect may have taken it away.
  fileprivate var hasUploadBody: Bool {
    switch body {
    case .data, .file, .suppliedStream: true
    case .none, .stream: false
    }
  }
}

extension LoadRequest.Body {
  /// The body without its first `offset` bytes; nil if it hasn't that many, or can't be read again.
  fileprivate func rest(from offset: Int64) -> LoadRequest.Body? {
    switch self {
    case .data(let data): offset <= data.count ? .data(data.dropFirst(Int(offset))) : nil
    case .file(let url, _): .file(url, from: offset)
    case .suppliedStream: .suppliedStream(from: offset)
    case .none, .stream: nil
    }
  }
}
