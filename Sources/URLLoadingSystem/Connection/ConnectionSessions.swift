import Foundation
import LoadingModel

/// The sessions that carry the loads of `NSURLConnection` and `NSURLDownload`: apart from `URLSession.shared`, on whose delegate queue a
/// blocking call may be made. The stores are the same.
enum ConnectionSessions {
  static let standard = URLSession(sharedWith: .default)

  /// For delegates that don't want the credential storage to be used.
  static let withoutCredentials: URLSession = {
    let configuration = URLSessionConfiguration.default
    configuration.urlCredentialStorage = nil
    return URLSession(sharedWith: configuration)
  }()

  /// What can be loaded without a class of the app's own.
  static let schemes: Set<String> = ["http", "https", "http+unix", "https+unix", "ftp", "ftps", "file", "data"]

  /// Loads a whole body and calls `handler` once.
  /// - Parameter queue: Where; nil for a thread of the load's own.
  static func load(
    _ request: URLRequest, on queue: OperationQueue?, _ handler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) {
    let task = ConnectionDataTask(standard, request.load, .completion(handler), DelegatePump(queue), nil)
    standard.begin(task)
  }
}

extension URLSession {
  /// The task of a connection, suspended. Its calls are made by `pump`.
  func makeConnectionTask(
    _ request: LoadRequest, _ pump: DelegatePump, _ delegate: any URLSessionTaskDelegate, isDownload: Bool
  ) -> URLSessionTask {
    let task =
      isDownload
      ? ConnectionDownloadTask(self, request, nil, pump, delegate) : ConnectionDataTask(self, request, .delegate, pump, delegate)
    register(task)
    return task
  }

  /// The task of a download that goes on, suspended. Its calls are made by `pump`.
  func makeConnectionTask(
    resuming resumeData: Data, _ pump: DelegatePump, _ delegate: any URLSessionTaskDelegate
  ) -> URLSessionTask {
    let earlier = ResumeData(resumeData)
    let request = earlier?.request.load ?? LoadRequest(url: nil)
    let task = ConnectionDownloadTask(self, request, earlier?.point(in: ResumeData.folder), pump, delegate)
    register(task)
    return task
  }

  /// Adds a task that the session didn't make.
  func register(_ task: URLSessionTask) {
    if !registry.add(task) { task.refuse() }
  }

  fileprivate func begin(_ task: URLSessionTask) {
    register(task)
    task.resume()
  }
}
