import Foundation
import LoadingModel

/// A download into a file, as apps for the Mac made it before there was `URLSession`. Deprecated by Apple; new code uses a download task.
///
/// Thread-safe. It starts when it is made, and stays alive, as does its delegate, until it has ended or was cancelled. The delegate is called
/// on the run loop of the thread that made the download, in the default mode.
///
/// What has arrived is kept in a temporary file and moved to its destination in the end.
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

  /// Goes on with a download that was interrupted. It starts over if the resource has changed.
  /// - Parameters:
  ///   - resumeData: From `resumeData` of the earlier download, or of a download task. With any other the download fails with
  ///     `URLError.unsupportedURL`.
  ///   - path: The file's destination, which is overwritten.
  @available(*, deprecated, message: "Use NSURLSession downloadTask (see NSURLSession.h)")
  public init(resumeData: Data, delegate: (any NSURLDownloadDelegate)?, path: String) {
    let earlier = ResumeData(resumeData)
    original = earlier?.request ?? URLRequest(load: LoadRequest(url: nil))
    state = Mutex(State(destination: DownloadDestination(path: path, allowsOverwriting: true)))
    super.init()
    begin(delegate, resuming: resumeData)
  }

  /// Whether a download that is decoded while it arrives can be resumed: false for every encoding. None is decoded.
  open class func canResumeDownloadDecoded(withEncodingMIMEType MIMEType: String) -> Bool { false }

  /// The request as it was given, or that of the earlier download.
  open var request: URLRequest { original }

  /// What a later download needs to go on with this one: there once it has failed or, a moment after `cancel()`, was cancelled, if
  /// `deletesFileUponFailure` was false then and the server supports it.
  open var resumeData: Data? { state.withLock { $0.resumeData } }

  /// Whether what has arrived is removed if the download fails or is cancelled. Default: true.
  open var deletesFileUponFailure: Bool {
    get { state.withLock { $0.deletesFileUponFailure } }
    set { state.withLock { $0.deletesFileUponFailure = newValue } }
  }

  /// Where the file goes. Has no effect once it is set, or the file is there.
  /// - Parameter allowOverwrite: Whether a file of this name is replaced; if not, a number is added to the name.
  open func setDestination(_ path: String, allowOverwrite: Bool) {
    state.withLock { state in
      guard state.destination == nil else { return }
      state.destination = DownloadDestination(path: path, allowsOverwriting: allowOverwrite)
    }
  }

  /// Ends the download. No message follows, if the call comes from where the delegate is called.
  open func cancel() {
    let task = state.withLock { state in
      defer { state.life = .ended(state.life.request) }
      return state.life.task
    }
    place.release()
    task?.cancel()
  }

  // MARK: the load

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

  /// The task that carries the load from now on.
  func adopt(_ task: URLSessionTask) {
    let isWanted = state.withLock { state in
      guard state.life.isActive else { return false }
      state.life = .loading(task)
      return true
    }
    if !isWanted { task.cancel() }
  }

  var isActive: Bool { state.withLock { $0.life.isActive } }

  var destination: DownloadDestination? { state.withLock { $0.destination } }

  /// The load has failed, and could go on with `resumeData`: keeps it, or removes the file.
  func keep(_ resumeData: Data) {
    let isKept = state.withLock { state in
      if !state.deletesFileUponFailure { state.resumeData = resumeData }
      return !state.deletesFileUponFailure
    }
    guard !isKept, let name = ResumeData.fileName(in: resumeData) else { return }
    unlink(ResumeData.folder.appending(path: name).path(percentEncoded: false))
  }

  /// The last message is about to be sent. False if the download was cancelled.
  func end() -> Bool {
    let wasActive = state.withLock { state in
      defer { state.life = .ended(state.life.request) }
      return state.life.isActive
    }
    place.release()
    return wasActive
  }
}
