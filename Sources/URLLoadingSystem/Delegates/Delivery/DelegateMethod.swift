/// One optional message of the delegate protocols, both spellings taken together. The raw value is its bit in a set of methods.
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

  /// The methods from `first` to `last`, in the order of declaration.
  static func bits(_ first: DelegateMethod, through last: DelegateMethod) -> UInt64 {
    (last.bit << 1) - first.bit
  }
}
