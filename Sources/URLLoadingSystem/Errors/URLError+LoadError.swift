import Foundation
import LoadingModel

extension LoadError {
  /// Converts the engine's error to the one that the app gets; all public errors of loads are made here.
  ///
  /// An error that an app's own `URLProtocol` reported is returned as the same object. Every other one becomes a `URLError` whose underlying error
  /// has CFNetwork's domain, and beneath it, if a system call failed, an error with its errno.
  ///
  /// - Parameters:
  ///   - failingURL: The URL of the last request, after redirects; nil if there is none.
  ///   - resumption: Resume data, and the `userInfo` key under which it is stored; nil if the load can't be resumed.
  ///   - reason: Further information for the app, stored as `NSLocalizedFailureReasonErrorKey`; nil for none.
  package func urlError(failingURL: URL?, resumption: (key: String, data: Data)? = nil, reason: String? = nil) -> any Error {
    if let foreign { return foreign.error }
    var userInfo = userInfo(failingURL: failingURL)
    if let resumption { userInfo[resumption.key] = resumption.data }
    if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
    return URLError(URLError.Code(rawValue: kind.rawValue) ?? .unknown, userInfo: userInfo)
  }
}
