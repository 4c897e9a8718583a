import BackgroundTransfers
import Foundation
import LoadingModel

extension TransferOrder {
  /// Describes the task as it is now, for the daemon; nil if its request can't be encoded.
  init?(_ task: URLSessionTask) {
    guard var request = task.originalRequest, let session = task.session else { return nil }
    request.addCookies(of: session.settings)
    // An upload's body is its file: the request's own body isn't sent.
    if task is URLSessionUploadTask { request.httpBody = nil }
    guard let encoded = BackgroundCoding.data(request) else { return nil }
    self.init(
      task: task.taskIdentifier, kind: task is URLSessionDownloadTask ? .download : .upload, request: encoded,
      shownURL: TransferOrder.shown(request.url))
    let fields = task.fields.withLock { $0 }
    source = fields.carried?.source
    resumeData = fields.carried?.resumeData
    description = TransferOrder.kept(fields.taskDescription)
    priority = fields.priority
    earliestBegin = fields.earliestBeginDate
    expectsToSend = fields.clientExpectsToSend
    expectsToReceive = fields.clientExpectsToReceive
  }

  /// The `taskDescription` that the daemon stores: nil if it is longer than `descriptionLimit` bytes.
  static func kept(_ description: String?) -> String? {
    guard let description, description.utf8.count <= descriptionLimit else { return nil }
    return description
  }

  /// An order without a task object: the command-line tool gives it to the daemon and doesn't wait for its end.
  ///
  /// - Parameter file: The file to upload; nil for a download.
  /// - Throws: If the file can't be uploaded, or the request can't be encoded.
  package init(task: Int, request: URLRequest, file: URL?) throws(LoadError) {
    guard let encoded = BackgroundCoding.data(request) else {
      throw LoadError(.badURL, .admission, "the request can't be handed to urlsessiond")
    }
    self.init(task: task, kind: file == nil ? .download : .upload, request: encoded, shownURL: TransferOrder.shown(request.url))
    if let file { source = try SourceFile(file) }
  }

  /// The limit of an encoded request in bytes: a message with it stays below `FrameReader.maximumMessage`.
  private static let largestRequest = 7 << 20

  /// - Throws: `dataLengthExceedsMaximum` if request and resume data are too large for the daemon's queue.
  func checkSize(with resumeData: Data?) throws(LoadError) {
    guard request.count < TransferOrder.largestRequest else {
      throw LoadError(
        .dataLengthExceedsMaximum, .admission,
        "the request is larger than 5 MiB, which the daemon keeps in its queue: upload larger bodies from files")
    }
    guard request.count + (resumeData?.count ?? 0) < TransferOrder.largestRequest else {
      throw LoadError(
        .dataLengthExceedsMaximum, .admission,
        "the request and the resume data together are larger than 5 MiB, which the daemon keeps in its queue: begin anew without resume data"
      )
    }
  }

  /// The URL as lists show it: without user, password, query and fragment, which may be secret.
  static func shown(_ url: URL?) -> String {
    guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
    (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
    return parts.string ?? ""
  }
}

extension SourceFile {
  /// Describes the file that an upload task sends, as it is now, so that the daemon notices later changes.
  /// - Throws: If the file can't be uploaded, or the body isn't a file: other bodies would be lost when the process ends.
  init(of body: LoadRequest.Body?) throws(LoadError) {
    guard case .file(let url, _, _)? = body else {
      throw LoadError(
        .unknown, .admission, "background sessions upload from files only: write the body to a file, and use uploadTask(with:fromFile:)")
    }
    try self.init(url)
  }

  /// - Throws: If it can't be opened or isn't a regular file.
  init(_ url: URL) throws(LoadError) {
    let path = url.resolvingSymlinksInPath().path(percentEncoded: false)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileRefusal.unopened(path, errno, .admission) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw FileRefusal.unopened(path, errno, .admission) }
    try FileRefusal.checkRegular(path, facts, .admission)
    self.init(
      path: path, device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), size: Int64(facts.st_size),
      modified: Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec))
  }
}

extension TransferChange {
  /// The properties of `task` that differ from those in `order`, which the daemon has.
  init(of task: URLSessionTask, since order: TransferOrder) {
    self.init()
    let now = task.fields.withLock { $0 }
    let kept = TransferOrder.kept(now.taskDescription)
    if kept != order.description { describe(as: kept) }
    if now.priority != order.priority { priority = now.priority }
    if now.earliestBeginDate != order.earliestBegin { earliestBegin = now.earliestBeginDate ?? .distantPast }
    if now.clientExpectsToSend != order.expectsToSend { expectsToSend = now.clientExpectsToSend }
    if now.clientExpectsToReceive != order.expectsToReceive { expectsToReceive = now.clientExpectsToReceive }
  }
}
