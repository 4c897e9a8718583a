/// An optional method of the delegate protocols; both its forms, with a completion handler and `async`, are one case. The raw value is its bit in a
/// set.
enum DelegateMethod: UInt8, CaseIterable, Sendable {
  case didBecomeInvalid
  case didReceiveSessionChallenge
  case didFinishEvents

  case didCreateTask
  case willBeginDelayedRequest
  case taskIsWaitingForConnectivity
  case willPerformHTTPRedirection
  case didReceiveTaskChallenge
  case needNewBodyStream
  case needNewBodyStreamFromOffset
  case didSendBodyData
  case didReceiveInformationalResponse
  case didFinishCollectingMetrics
  case didComplete

  case didReceiveResponse
  case didBecomeDownloadTask
  case didBecomeStreamTask
  case didReceiveData
  case willCacheResponse

  case didFinishDownloading
  case didWriteData
  case didResumeDownload

  case readClosed
  case writeClosed
  case betterRouteDiscovered
  case didBecomeStreams

  case didOpenWebSocket
  case didCloseWebSocket

  var bit: UInt64 { 1 << UInt64(rawValue) }

  /// The set of the methods from `first` to `last`, in the order of declaration.
  static func bits(_ first: DelegateMethod, through last: DelegateMethod) -> UInt64 {
    (last.bit << 1) - first.bit
  }
}
