import Foundation
import LoadingModel

/// The sessions whose tasks load for `NSURLConnection` and `NSURLDownload`. They aren't `URLSession.shared`, since a blocking call may be made on the
/// delegate queue of that one, but they use the same stores.
enum ConnectionSessions {
  static let standard = URLSession(sharedWith: .default)

  /// The session for delegates that refuse the credential storage (`connectionShouldUseCredentialStorage`).
  static let withoutCredentials: URLSession = {
    let configuration = URLSessionConfiguration.default
    configuration.urlCredentialStorage = nil
    return URLSession(sharedWith: configuration)
  }()

  /// The schemes that can be loaded without an app's `URLProtocol` class.
  static let schemes: Set<String> = ["http", "https", "http+unix", "https+unix", "ftp", "ftps", "file", "data"]

  /// Loads a whole body and calls `handler` once.
  /// - Parameter queue: The queue on which `handler` runs; nil for a queue that is made for this load.
  static func load(
    _ request: URLRequest, on queue: OperationQueue?, _ handler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) {
    let task = ConnectionDataTask(standard, request.load, .completion(handler), DelegatePump(queue), nil)
    standard.begin(task)
  }
}

extension URLSession {
  /// Makes a connection's task, suspended and registered with the session; `pump` makes its delegate calls.
  func makeConnectionTask(
    _ request: LoadRequest, _ pump: DelegatePump, _ delegate: any URLSessionTaskDelegate, isDownload: Bool
  ) -> URLSessionTask {
    let task =
      isDownload
      ? ConnectionDownloadTask(self, request, nil, pump, delegate) : ConnectionDataTask(self, request, .delegate, pump, delegate)
    register(task)
    return task
  }

  /// Makes the task of a resumed download, suspended and registered with the session; `pump` makes its delegate calls.
  func makeConnectionTask(
    resuming resumeData: Data, _ pump: DelegatePump, _ delegate: any URLSessionTaskDelegate
  ) -> URLSessionTask {
    let earlier = ResumeData(resumeData)
    let request = earlier?.request.load ?? LoadRequest(url: nil)
    let task = ConnectionDownloadTask(self, request, earlier?.point(in: ResumeData.folder), pump, delegate)
    register(task)
    return task
  }

  /// Adds a task to the session that wasn't made by one of its own functions.
  func register(_ task: URLSessionTask) {
    if !registry.add(task) { task.refuse() }
  }

  fileprivate func begin(_ task: URLSessionTask) {
    register(task)
    task.resume()
  }
}
