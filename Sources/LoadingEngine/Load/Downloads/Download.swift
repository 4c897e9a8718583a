import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The download part of a load: it asks for the rest of an earlier download, writes the body into a file, and says how to resume after a failure.
///
/// Belongs to one load; confined to its event loop.
package final class Download: @unchecked Sendable {
  // @unchecked: made on the thread that starts the task or on the load's event loop, and confined to that loop from then on; the file has a
  // lock of its own.

  /// How the body relates to the file of an earlier download.
  private enum Beginning {
    /// There is no earlier download, or its file is missing.
    case fresh
    /// The file is open and its rest has been requested; no response has come yet.
    case asked(DownloadFile)
    /// The response's body continues where the file ends. `end` is the offset behind the last byte that the response announces, nil if unknown.
    case resumed(total: Int64?, end: Int64?)
    /// The response's body is the whole resource, which has changed; it replaces the file.
    case replaced(DownloadFile)
    /// The response's body is something else, such as an error page; the file stays.
    case besides
  }

  /// Seconds that the end of a broken download waits for the disk: a disk that hangs must not keep the task from ending.
  private static let patience = 1.0

  private let folder: URL
  private let resumption: ResumePoint?
  private let isRepeated: Bool
  private var beginning = Beginning.fresh
  private var request: LoadRequest?
  private var file: DownloadFile?
  private var validator: ResumeValidator?
  /// The length of the whole file in bytes, as announced; -1 if unknown.
  package private(set) var expectedLength: Int64 = -1

  /// - Parameters:
  ///   - folder: The folder in which new files are created.
  ///   - resumption: The earlier download that is to be resumed; nil for none.
  ///   - isRepeated: Whether a download that fails is tried again later; then a response without the requested bytes is a failure.
  package init(folder: URL, resuming resumption: ResumePoint? = nil, isRepeated: Bool = false) {
    self.folder = folder
    self.isRepeated = isRepeated
    self.resumption = resumption
  }

  /// Whether this download was to resume an earlier one, successfully or not.
  package var isResumption: Bool { resumption != nil }

  /// The number of bytes that the file had before the body's first byte.
  package private(set) var offset: Int64 = 0

  // MARK: before the body

  /// Notes the app's `request`, for a load that has begun as something else and becomes a download.
  package func take(_ request: LoadRequest) { self.request = request }

  /// The request to send: it asks for the rest if an earlier download can be resumed.
  func begin(_ request: LoadRequest, _ context: LoadContext) async throws(LoadError) -> LoadRequest {
    self.request = request
    guard let resumption else { return request }
    let file = try await AppWait<DownloadFile?>.disk(context) {
      await DownloadFile.reopen(resumption.file, received: resumption.received, total: resumption.total)
    }
    guard let file else { return request }
    beginning = .asked(file)
    var asking = request
    asking.mutateHeaders { ResumeRules.ask(&$0, offset: file.length, resumption.validator) }
    context.record.request = asking
    return asking
  }

  /// Decides how the response continues the file. If it can't be used, the whole resource is requested anew.
  func settle(_ loaded: Loaded, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard case .asked(let file) = beginning, let resumption, let request else { return loaded }
    switch try decide(loaded, next.client, file, resumption, context) {
    case .append(let total):
      let head = next.client.downloading?.head(of: loaded.response) ?? loaded.response.httpHead
      beginning = .resumed(total: total, end: head.flatMap(ResumeRules.end(ofPart:)) ?? total)
    case .startOver:
      beginning = .replaced(file)
      return loaded
    case .aside:
      beginning = .besides
      return loaded
    case .askAnew:
      beginning = .replaced(file)
      try await loaded.discardBody(context)
      context.record.response = loaded.response
      context.beginTransaction(request)
      context.noteActivity()
      next.client.requestChanged(request)
      next.load.refusedAttempts = 0
      return try await next(request, context)
    }
    self.file = file
    offset = file.length
    validator = resumption.validator
    return loaded
  }

  private func decide(
    _ loaded: Loaded, _ client: any LoadClient, _ file: DownloadFile, _ resumption: ResumePoint, _ context: LoadContext
  ) throws(LoadError) -> ResumeDecision {
    let decision = Download.decide(loaded.response, client, offset: file.length, resumption)
    guard isRepeated, let status = loaded.response.httpHead?.status else { return decision }
    if let decision = ResumeRules.decideForLater(decision, status: status) { return decision }
    context.record.response = loaded.response
    loaded.body.abandon()
    throw LoadError(
      .networkConnectionLost, .head, "the server answered with status \(status) when it was asked for the rest; what has arrived is kept")
  }

  private static func decide(
    _ response: LoadResponse, _ client: any LoadClient, offset: Int64, _ resumption: ResumePoint
  ) -> ResumeDecision {
    if let head = (client.downloading?.head(of: response) ?? response.httpHead) {
      return ResumeRules.decide(head, offset: offset, total: resumption.total, resumption.validator)
    }
    guard let part = response.part, part.offset == offset, part.tag == resumption.validator.ifRange else { return .startOver }
    return .append(total: part.total)
  }

  /// Creates the file, unless the body continues an existing one.
  package func open(_ response: LoadResponse, _ client: any LoadClient, _ context: LoadContext) async throws(LoadError) {
    if case .resumed(let total, _) = beginning {
      let (end, isTooLarge) = offset.addingReportingOverflow(response.expectedLength)
      expectedLength = total ?? (response.expectedLength >= 0 && !isTooLarge ? end : -1)
      return
    }
    expectedLength = response.expectedLength
    if let request {
      validator =
        (client.downloading?.head(of: response) ?? response.httpHead).flatMap {
          ResumeRules.validator(request, $0, received: context.clock.date)
        }
        ?? response.part.flatMap { $0.offset == 0 ? ResumeValidator(tag: $0.tag) : nil }
    }
    let folder = folder
    let earlier: DownloadFile? = if case .replaced(let file) = beginning { file } else { nil }
    let made = try await AppWait<Result<DownloadFile, LoadError>>.disk(context) {
      do throws(LoadError) { return .success(try await DownloadFile.create(in: folder, replacing: earlier)) } catch {
        return .failure(error)
      }
    }
    file = try made.get()
    beginning = .fresh
  }

  // MARK: the body

  /// Writes a piece; returns when there is room for the next. A piece of a resumed body that goes beyond the announced end isn't written.
  package func append(_ bytes: ByteBuffer, _ context: LoadContext) async throws(LoadError) {
    guard let file else { return }
    if let missing = missing(in: file), Int64(bytes.readableBytes) > missing {
      throw LoadError(
        .badServerResponse, .body,
        "the server sent more bytes than the part that it announced, which ends at byte \(file.length + missing): what fitted is kept")
    }
    try await file.append(bytes, context)
  }

  /// Moves the bytes that wait in the connection's socket into the file. Returns their number, when there is room for more.
  func take(from exchange: Exchange, _ context: LoadContext) async throws(LoadError) -> Int {
    guard let file else { return 0 }
    return try await file.take(from: exchange, atMost: missing(in: file).map { Int(clamping: $0) } ?? .max, context)
  }

  /// The number of bytes that the response to a resumption has still to bring; nil if that isn't known, or nothing is resumed.
  private func missing(in file: DownloadFile) -> Int64? {
    guard case .resumed(_, let end?) = beginning else { return nil }
    return max(0, end - file.length)
  }

  /// Waits until the whole body is in the file.
  func finish(_ context: LoadContext) async throws(LoadError) {
    guard let file else { return }
    try await file.finish(context)
    guard case .resumed = beginning, expectedLength >= 0, file.length < expectedLength else { return }
    // RFC 9110, 15.3.7: a server may send a shorter range than was requested.
    throw LoadError(
      .networkConnectionLost, .body,
      "the server sent a part that ends at byte \(file.length) of \(expectedLength): what has arrived is kept, resume for the rest")
  }

  /// The URL of the complete file, which the caller must remove; nil if there is none.
  package func handOver() -> URL? {
    file?.handOver()
    return file?.url
  }

  // MARK: failure

  /// Ends the download early and passes on how to resume it; nil if that isn't possible: then the file is removed.
  ///
  /// - Parameters:
  ///   - isWanted: Whether the app has asked for resume data; a download that is only cancelled leaves nothing behind.
  ///   - then: Called once, on any thread, within `patience`, even if the disk hangs.
  package func stop(
    after error: LoadError, isWanted: Bool, _ context: LoadContext, then: @escaping @Sendable (ResumePoint?) -> Void
  ) {
    let isTold = isWanted || error.kind != .cancelled
    guard let stopping = file ?? asked else { return then(file == nil && isTold ? resumption : nil) }
    let (point, isKept) = goingOn(error, isTold: isTold)
    let once = Once(then)
    // How many bytes a hanging disk has written isn't known yet; the next load finds out from the file itself.
    context.clock.wake(at: context.clock.now.advanced(bySeconds: Download.patience)) { once.call(point) }
    stopping.stop(keeping: isKept) { written in
      once.call(point.map { ResumePoint(file: $0.file, received: written, total: $0.total, validator: $0.validator) })
    }
  }

  private var asked: DownloadFile? {
    switch beginning {
    case .asked(let file), .replaced(let file): file
    case .fresh, .resumed, .besides: nil
    }
  }

  private func goingOn(_ error: LoadError, isTold: Bool) -> (ResumePoint?, isKept: Bool) {
    // The app has resume data for the earlier download's file, so that the file stays whatever happens to this load.
    guard let file else { return (isTold ? resumption : nil, true) }
    if case .resumed = beginning {
      let point = validator.map { ResumePoint(file: file.url, received: offset, total: total, validator: $0) }
      return (isTold ? point : nil, true)
    }
    // On a full disk the file is removed, to make room.
    guard isTold, let validator, file.length > 0, error.kind != .cannotWriteToFile else { return (nil, false) }
    return (ResumePoint(file: file.url, received: 0, total: total, validator: validator), true)
  }

  /// How a later process can resume if this one is killed: it finds out from the file how much has arrived. Nil if the download can't be resumed.
  package var pointIfKilled: ResumePoint? {
    guard let file, let validator else { return nil }
    return ResumePoint(file: file.url, received: 0, total: total, validator: validator)
  }

  private var total: Int64? { expectedLength >= 0 ? expectedLength : nil }
}

/// Calls a function once, for the first caller; later calls do nothing.
private final class Once: Sendable {
  private let action: Mutex<(@Sendable (ResumePoint?) -> Void)?>

  init(_ action: @escaping @Sendable (ResumePoint?) -> Void) { self.action = Mutex(action) }

  func call(_ point: ResumePoint?) {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?(point)
  }
}
