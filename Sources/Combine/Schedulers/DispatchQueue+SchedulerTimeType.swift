#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue {
    /// The time of a dispatch queue as a scheduler.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
      /// The time.
      public var dispatchTime: DispatchTime

      /// The time `time`.
      public init(_ time: DispatchTime) { dispatchTime = time }

      /// Decodes nanoseconds of the system's uptime.
      public init(from decoder: any Decoder) throws {
        dispatchTime = DispatchTime(uptimeNanoseconds: try decoder.singleValueContainer().decode(UInt64.self))
      }

      /// Encodes nanoseconds of the system's uptime.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(dispatchTime.uptimeNanoseconds)
      }

      /// The time from this one to `other`; negative if that is earlier.
      public func distance(to other: SchedulerTimeType) -> Stride {
        let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
        return end >= start ? .nanoseconds(Int(clamping: end - start)) : .nanoseconds(-Int(clamping: start - end))
      }

      /// The time `n` later; a stride as long as can be leads to the distant future.
      public func advanced(by n: Stride) -> SchedulerTimeType {
        SchedulerTimeType(n.magnitude == .max ? .distantFuture : dispatchTime + n.timeInterval)
      }

      /// Whether one is earlier.
      public static func < (one: SchedulerTimeType, other: SchedulerTimeType) -> Bool { one.dispatchTime < other.dispatchTime }

      /// Whether both are the same time.
      public static func == (one: SchedulerTimeType, other: SchedulerTimeType) -> Bool { one.dispatchTime == other.dispatchTime }

      /// Hashes the time.
      public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }
  }
#endif
