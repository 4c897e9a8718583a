import Foundation

extension URLError {
  /// Why the system cancelled a background task.
  public enum BackgroundTaskCancelledReason: Int, Sendable {
    /// The user quit the app.
    case userForceQuitApplication = 0
    /// The user switched background updates off.
    case backgroundUpdatesDisabled = 1
    /// The system was short of resources.
    case insufficientSystemResources = 2
  }

  /// Which setting kept a load from using a network that was available.
  public enum NetworkUnavailableReason: Int, Sendable {
    /// `allowsCellularAccess` was false.
    case cellular = 0
    /// `allowsExpensiveNetworkAccess` was false.
    case expensive = 1
    /// `allowsConstrainedNetworkAccess` was false.
    case constrained = 2
    /// `allowsUltraConstrainedNetworkAccess` was false.
    case ultraConstrained = 3
  }

  /// Why the system cancelled a background task; nil for other errors.
  public var backgroundTaskCancelledReason: URLError.BackgroundTaskCancelledReason? {
    integer(NSURLErrorBackgroundTaskCancelledReasonKey).flatMap(BackgroundTaskCancelledReason.init(rawValue:))
  }

  /// Which setting kept the load from using a network that was available; nil if none did.
  public var networkUnavailableReason: URLError.NetworkUnavailableReason? {
    integer(NSURLErrorNetworkUnavailableReasonKey).flatMap(NetworkUnavailableReason.init(rawValue:))
  }

  /// The server's certificates, if they weren't accepted; nil for other errors.
  public var failureURLPeerTrust: SecTrust? { userInfo[NSURLErrorFailingURLPeerTrustErrorKey] as? SecTrust }

  /// The resume data for `downloadTask(withResumeData:)`; nil if the download can't be resumed.
  public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

  /// The resume data for `uploadTask(withResumeData:)`; nil if the upload can't be resumed.
  public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }

  private func integer(_ key: String) -> Int? {
    (userInfo[key] as? NSNumber)?.intValue ?? userInfo[key] as? Int
  }
}
