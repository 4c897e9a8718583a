import Foundation
import LoadingModel

// Bounds of responses. Additions to Apple's API.

extension URLSessionConfiguration {
  /// Bytes of body, decoded, that a load may collect in memory: `data(for:)`, `upload(for:…)` and tasks with a completion handler. An addition
  /// to Apple's API. Default: nil, no limit.
  ///
  /// What is longer ends with `URLError.dataLengthExceedsMaximum` (-1103) as soon as that is known, and the rest isn't read. Bodies that are
  /// delivered in pieces or go into a file have no such limit. Background sessions ignore it. Values below 0 count as 0.
  public var maximumResponseBodyLength: Int64? {
    get { bodyLimits.collected }
    set { values.withLock { $0.bodyLimits.collected = newValue.map { max(0, $0) } } }
  }

  /// Bytes that a content coding, such as gzip, may make of a body, however it is delivered. An addition to Apple's API. Default: nil, no
  /// limit but this: beyond 64 MiB a body may be 2,000 times as long as what was received.
  ///
  /// What is longer ends with `URLError.dataLengthExceedsMaximum` (-1103). Background sessions ignore it. Values below 0 count as 0.
  public var maximumDecodedBodyLength: Int64? {
    get { bodyLimits.decoded }
    set { values.withLock { $0.bodyLimits.decoded = newValue.map { max(0, $0) } } }
  }

  var bodyLimits: BodyLimits { values.withLock { $0.bodyLimits } }
}

extension URLRequest {
  /// As `URLSessionConfiguration.maximumResponseBodyLength`, for this request, in place of its session's. An addition to Apple's API. Default:
  /// nil, the session's.
  ///
  /// It isn't a part of the request's archive, and of no account for equality.
  public var maximumResponseBodyLength: Int64? {
    get { load.bodyLimits.collected }
    set { load.mutate { $0.bodyLimits.collected = newValue.map { max(0, $0) } } }
  }

  /// As `URLSessionConfiguration.maximumDecodedBodyLength`, for this request, in place of its session's. An addition to Apple's API. Default:
  /// nil, the session's.
  ///
  /// It isn't a part of the request's archive, and of no account for equality.
  public var maximumDecodedBodyLength: Int64? {
    get { load.bodyLimits.decoded }
    set { load.mutate { $0.bodyLimits.decoded = newValue.map { max(0, $0) } } }
  }
}
