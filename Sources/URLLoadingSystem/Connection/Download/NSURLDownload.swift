import Foundation
import LoadingModel

/// A download into a file in the Mac's API that preceded `URLSession`. Deprecated by Apple; new code uses a download task.
///
/// Thread-safe. It starts when it is made, and stays alive, as does its delegate, until it has ended or was cancelled. The delegate is called on the
/// run loop of the thread that made the download, in the default mode.
///
/// Received bytes are written to a temporary file, which is moved to the destination when it is complete.
open class NSURLDownload: NSObject, @unchecked Sendable {
  // @unchecked: everything stored is immutable or behind a mutex; subclasses answer for what they add.

  private struct State {
    var life = ConnectionLife.starting
    var destination: DownloadDestination?
    var resumeData: Data?
    var deletesFileUponFailure = true
  }

  private let original: URLRequest
  private let state: Mutex<State>
  private let place = DeliveryPlace()

  /// Starts a download of `request`.
  @available(*, deprecated, message: "Use NSURLSession downloadTask (see NSURLSession.h)")
  public init(request: URLRequest, delegate: (any NSURLDownloadDelegate)?) {
    original = request
    state = Mutex(State())
    super.init()
    begin(delegate, resuming: nil)
  }

  /// Resumes a download that was interrupted. It starts over if the resource has changed.
  /// - Parameters:
  ///   - resumeData: From `resumeData` of the earlier download, or of a download task. With any other data the download fails with
  ///     `URLError.unsupportedURL`.
  ///   - path: The file's destination; an existing file is overwritten.
  @available(*, deprecated, message: "Use NSURLSession downloadTask (see NSURLSession.h)")
  public init(resumeData: Data, delegate: (any NSURLDownloadDelegate)?, path: String) {
    let earlier = ResumeData(resumeData)
    original = earlier?.request ?? URLRequest(load: LoadRequest(url: nil))
    state = Mutex(State(destination: DownloadDestination(path: path, allowsOverwriting: true)))
    super.init()
    begin(delegate, resuming: resumeData)
  }

  /// Whether a download that is decoded while it arrives can be resumed: always false, as this library doesn't decode downloads.
  open class func canResumeDownloadDecoded(withEncodingMIMEType MIMEType: String) -> Bool { false }

  /// The request with which the download was made, or that of the earlier download if it was resumed.
  open var request: URLRequest { original }

  /// The data with which a later download can resume this one, if the server supports it: set when the download has failed, or a moment after
  /// `cancel()`, provided that `deletesFileUponFailure` was false then.
  open var resumeData: Data? { state.withLock { $0.resumeData } }

  /// Whether received bytes are deleted if the download fails or is cancelled. Default: true.
  open var deletesFileUponFailure: Bool {
    get { state.withLock { $0.deletesFileUponFailure } }
    set { state.withLock { $0.deletesFileUponFailure = newValue } }
  }

  /// Sets the path to which the finished file is moved. Only the first call has an effect.
  /// - Parameter allowOverwrite: Whether an existing file is replaced; if not, a number is added to the name.
  open func setDestination(_ path: String, allowOverwrite: Bool) {
    state.withLock { state in
      guard state.destination == nil else { return }
      state.destination = DownloadDestination(path: path, allowsOverwriting: allowOverwrite)
    }
  }

  /// Cancels the download. Called where the delegate is called, no further message follows; on another thread, one may still be on its way.
  open func cancel() {
    let task = state.withLock { state in
      defer { state.life = .ended(state.life.request) }
      return state.life.task
    }
    place.release()
    if let task { stop(task) }
  }

  /// Cancels the load. Unless the received bytes are to be deleted, the error of the task's completion has resume data, which `keep` gets.
  private func stop(_ task: URLSessionTask) {
    guard let download = task as? URLSessionDownloadTask, !deletesFileUponFailure else { return task.cancel() }
    download.cancel(byProducingResumeData: { _ in })
  }

  // MARK: The load

  private func begin(_ delegate: (any NSURLDownloadDelegate)?, resuming resumeData: Data?) {
    place.schedule(.current, .default)
    let pump = DelegatePump(place.queue)
    let messages = DownloadMessages(self, delegate)
    pump.post { [self, original] in
      guard isActive else { return }
      let session = messages.usesCredentialStorage ? ConnectionSessions.standard : ConnectionSessions.withoutCredentials
      messages.begin()
      if let resumeData { return run(session.makeConnectionTask(resuming: resumeData, pump, messages)) }
      guard let request = messages.firstRequest(original) else { return messages.fail(URLError(.cancelled)) }
      run(session.makeConnectionTask(request.load, pump, messages, isDownload: false))
    }
  }

  private func run(_ task: URLSessionTask) {
    adopt(task)
    task.resume()
  }

  /// Makes `task` the one that loads: the first task, or the download task that the data task has become.
  func adopt(_ task: URLSessionTask) {
    let isWanted = state.withLock { state in
      guard state.life.isActive else { return false }
      state.life = .loading(task)
      return true
    }
    if !isWanted { stop(task) }
  }

  var isActive: Bool { state.withLock { $0.life.isActive } }

  var destination: DownloadDestination? { state.withLock { $0.destination } }

  /// Handles the resume data of a load that has failed: stores it, or deletes the received bytes if `deletesFileUponFailure` is true.
  func keep(_ resumeData: Data) {
    let isKept = state.withLock { state in
      if !state.deletesFileUponFailure { state.resumeData = resumeData }
      return !state.deletesFileUponFailure
    }
    guard !isKept, let name = ResumeData.fileName(in: resumeData) else { return }
    unlink(ResumeData.folder.appending(path: name).path(percentEncoded: false))
  }

  /// Marks the download as ended, before its last message. Returns false if it was cancelled, so that no message is sent.
  func end() -> Bool {
    let wasActive = state.withLock { state in
      defer { state.life = .ended(state.life.request) }
      return state.life.isActive
    }
    place.release()
    return wasActive
  }
}
