import Foundation

// Names around `URLError` that Apple's Foundation has and swift-corelibs-foundation lacks.

/// Key in an error's `userInfo`: the setting that kept a load from using an available network, as a `NetworkUnavailableReason`'s number.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

/// The older name of `NSURLErrorFailingURLStringErrorKey`.
@available(*, deprecated, message: "Use NSURLErrorFailingURLErrorKey.")
public let NSErrorFailingURLStringKey = "NSErrorFailingURLStringKey"

/// Error code: the file is in a place that the app may not access. `URLError` has no name for it, as on Apple's platforms.
public var NSURLErrorFileOutsideSafeArea: Int { -1104 }

extension URLError {
  /// App Transport Security forbids a load without TLS.
  public static var appTransportSecurityRequiresSecureConnection: URLError.Code { .appTransportSecurityRequiresSecureConnection }

  /// The data is longer than allowed, or a GET request has a body.
  public static var dataLengthExceedsMaximum: URLError.Code { .dataLengthExceedsMaximum }
}
