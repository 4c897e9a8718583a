import Foundation
import LoadingModel

// Limits on the length of response bodies. Additions to Apple's API.

extension URLSessionConfiguration {
  /// Bytes of body, decoded, that a load may collect in memory: `data(for:)`, `upload(for:…)` and tasks with a completion handler. An addition
  /// to Apple's API. Default: nil, no limit.
  ///
  /// A longer body ends the load with `URLError.dataLengthExceedsMaximum` (-1103) as soon as its length is known, and isn't read any further. Bodies
  /// that are delivered in pieces or go into a file have no such limit. Background sessions ignore it. Values below 0 count as 0.
  public var maximumResponseBodyLength: Int64? {
    get { bodyLimits.collected }
    set { values.change { $0.bodyLimits.collected = newValue.map { max(0, $0) } } }
  }

  /// Bytes to which a body may grow when its content coding, such as gzip, is decoded, however it is delivered. An addition to Apple's API. Default:
  /// nil, which limits only the ratio: beyond 64 MiB a body may be 2,000 times as long as its encoded form.
  ///
  /// A longer body ends the load with `URLError.dataLengthExceedsMaximum` (-1103). Background sessions ignore it. Values below 0 count as 0.
  public var maximumDecodedBodyLength: Int64? {
    get { bodyLimits.decoded }
    set { values.change { $0.bodyLimits.decoded = newValue.map { max(0, $0) } } }
  }

  var bodyLimits: BodyLimits { values.withLock { $0.bodyLimits } }
}

extension URLRequest {
  /// As `URLSessionConfiguration.maximumResponseBodyLength`, for this request, overriding its session's. An addition to Apple's API. Default: nil,
  /// the session's.
  ///
  /// It isn't encoded with the request, and doesn't count for equality.
  public var maximumResponseBodyLength: Int64? {
    get { load.bodyLimits.collected }
    set { load.mutate { $0.bodyLimits.collected = newValue.map { max(0, $0) } } }
  }

  /// As `URLSessionConfiguration.maximumDecodedBodyLength`, for this request, overriding its session's. An addition to Apple's API. Default: nil, the
  /// session's.
  ///
  /// It isn't encoded with the request, and doesn't count for equality.
  public var maximumDecodedBodyLength: Int64? {
    get { load.bodyLimits.decoded }
    set { load.mutate { $0.bodyLimits.decoded = newValue.map { max(0, $0) } } }
  }
}
