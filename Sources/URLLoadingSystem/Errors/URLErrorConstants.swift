import Foundation

// What the toolchain's Foundation lacks of the names around URLError.

/// Key in an error's `userInfo`: which setting kept a load from a network that was there, as a number.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

/// The older name of `NSURLErrorFailingURLStringErrorKey`.
@available(*, deprecated, message: "Use NSURLErrorFailingURLErrorKey.")
public let NSErrorFailingURLStringKey = "NSErrorFailingURLStringKey"

/// A file lies where the app may not go. It has no name in `URLError`, as on Apple's platforms.
public var NSURLErrorFileOutsideSafeArea: Int { -1104 }

extension URLError {
  /// App Transport Security forbids a load without TLS.
  public static var appTransportSecurityRequiresSecureConnection: URLError.Code { .appTransportSecurityRequiresSecureConnection }

  /// The data is longer than allowed, or a GET request has a body.
  public static var dataLengthExceedsMaximum: URLError.Code { .dataLengthExceedsMaximum }
}
