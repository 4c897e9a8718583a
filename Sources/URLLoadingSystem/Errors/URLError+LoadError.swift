import Foundation
import LoadingModel

extension LoadError {
  /// The error as the app sees it: the only place where the engine's errors become public ones.
  ///
  /// An error that an app's own protocol class reported comes back as the object it was. Every other one is a `URLError` whose
  /// underlying error, of CFNetwork's domain, leads on to the system's errno where one was behind it.
  ///
  /// - Parameters:
  ///   - failingURL: The last URL that was loaded, after redirects.
  ///   - resumption: What is needed to go on, and the key under which it is looked for.
  ///   - reason: What the app should know besides, as `NSLocalizedFailureReasonErrorKey`.
  package func urlError(failingURL: URL?, resumption: (key: String, data: Data)? = nil, reason: String? = nil) -> any Error {
    if let foreign { return foreign.error }
    var userInfo = userInfo(failingURL: failingURL)
    if let resumption { userInfo[resumption.key] = resumption.data }
    if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    return URLError(URLError.Code(rawValue: kind.rawValue) ?? .unknown, userInfo: userInfo)
  }
}
