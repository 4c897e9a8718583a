import BackgroundTransfers
import Foundation
import LoadingModel

extension TransferOrder {
  /// The task as it is now; nil if its request can't be encoded.
  init?(_ task: URLSessionTask) {
    guard var request = task.originalRequest, let session = task.session else { return nil }
    request.addCookies(of: session.settings)
    // It isn't sent: the file is the body.
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

  /// What the daemon keeps of a `taskDescription`: nothing where it is longer than it may be.
  static func kept(_ description: String?) -> String? {
    guard let description, description.utf8.count <= descriptionLimit else { return nil }
    return description
  }

  /// A transfer that no task stands for: the tool makes it, and doesn't wait for it.
  ///
  /// - Parameter file: What is uploaded; nil for a download.
  /// - Throws: If the file can't be uploaded, or the request can't be encoded.
  package init(task: Int, request: URLRequest, file: URL?) throws(LoadError) {
    guard let encoded = BackgroundCoding.data(request) else {
      throw LoadError(.badURL, .admission, "the request can't be handed to urlsessiond")
    }
    self.init(task: task, kind: file == nil ? .download : .upload, request: encoded, shownURL: TransferOrder.shown(request.url))
    if let file { source = try SourceFile(file) }
  }

  /// Bytes of a request, encoded: with what else a message has it stays below `FrameReader.maximumMessage`.
  private static let largestRequest = 7 << 20

  /// - Throws: `dataLengthExceedsMaximum`, if the daemon doesn't keep that much in its queue.
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

  /// Without what may be secret, or of no use in a list.
  static func shown(_ url: URL?) -> String {
    guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
    (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
    return parts.string ?? ""
  }
}

extension SourceFile {
  /// The file that is to be uploaded, as it is now.
  /// - Throws: If it can't be uploaded; or if the body isn't a file, of which a process that ends would leave nothing.
  init(of body: LoadRequest.Body?) throws(LoadError) {
    guard case .file(let url, _, _)? = body else {
      throw LoadError(
        .unknown, .admission, "background sessions upload from files only: write the body to a file, and use uploadTask(with:fromFile:)")
    }
    try self.init(url)
  }

  /// - Throws: If it isn't a file that can be uploaded.
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
      modified: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec))
  }
}

extension TransferChange {
  /// What differs in `task` from what the daemon has.
  init(of task: URLSessionTask, since order: TransferOrder) {
    self.init()
    let now = task.fields.withLock { $0 }
    let kept = TransferOrder.kept(now.taskDescription)
    if kept != order.description { description = kept ?? "" }
    if now.priority != order.priority { priority = now.priority }
    if now.earliestBeginDate != order.earliestBegin { earliestBegin = now.earliestBeginDate ?? .distantPast }
    if now.clientExpectsToSend != order.expectsToSend { expectsToSend = now.clientExpectsToSend }
    if now.clientExpectsToReceive != order.expectsToReceive { expectsToReceive = now.clientExpectsToReceive }
  }
}
