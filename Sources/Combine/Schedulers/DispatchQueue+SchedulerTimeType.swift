#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue {
    /// The time type of a dispatch queue as a scheduler.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
      /// The time as a `DispatchTime`.
      public var dispatchTime: DispatchTime

      /// The scheduler time for a `DispatchTime`.
      public init(_ time: DispatchTime) { dispatchTime = time }

      /// Decodes a time from its nanoseconds since the system's start.
      public init(from decoder: any Decoder) throws {
        dispatchTime = DispatchTime(uptimeNanoseconds: try decoder.singleValueContainer().decode(UInt64.self))
      }

      /// Encodes the time as its nanoseconds since the system's start.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(dispatchTime.uptimeNanoseconds)
      }

      /// The time from this one to `other`; negative if that is earlier.
      public func distance(to other: SchedulerTimeType) -> Stride {
        let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
        return end >= start ? .nanoseconds(Int(clamping: end - start)) : .nanoseconds(-Int(clamping: start - end))
      }

      /// The time that is `n` later. The longest possible stride leads to the distant future.
      public func advanced(by n: Stride) -> SchedulerTimeType {
        SchedulerTimeType(n.magnitude == .max ? .distantFuture : dispatchTime + n.timeInterval)
      }

      /// Whether the left time is earlier than the right one.
      public static func < (one: SchedulerTimeType, other: SchedulerTimeType) -> Bool { one.dispatchTime < other.dispatchTime }

      /// Whether both are the same time.
      public static func == (one: SchedulerTimeType, other: SchedulerTimeType) -> Bool { one.dispatchTime == other.dispatchTime }

      /// Hashes the time's nanoseconds.
      public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }
  }
#endif
