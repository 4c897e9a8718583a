extension NSURLRequest {
  /// How a request uses the URL cache: whether it reads stored responses, and when it loads.
  public enum CachePolicy: UInt, Sendable {
    /// What the protocol itself prescribes: for HTTP the rules of RFC 9111. The default.
    case useProtocolCachePolicy = 0
    /// Always load from the source; the local cache isn't read.
    case reloadIgnoringLocalCacheData = 1
    /// Take a stored response whatever its age; load only if there is none.
    case returnCacheDataElseLoad = 2
    /// Take a stored response whatever its age; fail with `URLError.resourceUnavailable` if there is none.
    case returnCacheDataDontLoad = 3
    /// Like `reloadIgnoringLocalCacheData`, and ask the caches on the way to do the same.
    case reloadIgnoringLocalAndRemoteCacheData = 4
    /// Take a stored response only after its source has confirmed it.
    case reloadRevalidatingCacheData = 5

    /// The older name of `reloadIgnoringLocalCacheData`.
    public static var reloadIgnoringCacheData: NSURLRequest.CachePolicy { .reloadIgnoringLocalCacheData }
  }

  /// The kind of traffic of a request: a hint for networks, without effect on the result of a load.
  public enum NetworkServiceType: UInt, Sendable {
    /// Ordinary traffic. The default.
    case `default` = 0
    /// Control traffic of internet telephony. Deprecated by Apple.
    case voip = 1
    /// Video traffic.
    case video = 2
    /// Transfers that no user is waiting for.
    case background = 3
    /// Voice traffic.
    case voice = 4
    /// Data a user is waiting for.
    case responsiveData = 6
    /// Streamed audio and video.
    case avStreaming = 8
    /// Interactive audio and video.
    case responsiveAV = 9
    /// Signalling of calls.
    case callSignaling = 11
  }

  /// Whether the developer or the user chose the URL of a request, as Apple documents for privacy reports; stored, without effect on the load.
  public enum Attribution: UInt, Sendable {
    /// The app's developer chose the URL. The default.
    case developer = 0
    /// The user chose the URL, for example by following a link.
    case user = 1
  }
}

/// The older name of `NSMutableURLRequest`.
@available(*, deprecated, renamed: "NSMutableURLRequest")
public typealias MutableURLRequest = NSMutableURLRequest
