#if Combine
  import Foundation
  import OpenCombine

  /// The time type of run loops and operation queues as schedulers: a date.
  public struct DateSchedulerTime: Strideable, Codable, Hashable, Sendable {
    /// The date of this time.
    public var date: Date

    /// The time at `date`.
    public init(_ date: Date) { self.date = date }

    /// The time from this one to `other`; negative if that is earlier.
    public func distance(to other: DateSchedulerTime) -> Stride {
      Stride(other.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
    }

    /// The time that is `n` later.
    public func advanced(by n: Stride) -> DateSchedulerTime { DateSchedulerTime(date + n.magnitude) }

    /// A length of time in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Codable, Hashable,
      Sendable
    {
      /// Float literals are seconds.
      public typealias FloatLiteralType = TimeInterval
      /// Integer literals are seconds.
      public typealias IntegerLiteralType = TimeInterval
      /// The type of the number of seconds.
      public typealias Magnitude = TimeInterval

      /// The number of seconds; negative for a stride backwards.
      public var magnitude: TimeInterval
      /// The number of seconds; negative for a stride backwards.
      public var timeInterval: TimeInterval { magnitude }

      /// `timeInterval` seconds.
      public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }

      /// `value` seconds.
      public init(integerLiteral value: TimeInterval) { self.init(value) }

      /// `value` seconds.
      public init(floatLiteral value: TimeInterval) { self.init(value) }

      /// `source` seconds; nil if a `TimeInterval` can't express them exactly.
      public init?<Source: BinaryInteger>(exactly source: Source) {
        guard let seconds = TimeInterval(exactly: source) else { return nil }
        self.init(seconds)
      }

      /// Whether the left stride is smaller than the right one.
      public static func < (one: Stride, other: Stride) -> Bool { one.magnitude < other.magnitude }
      /// The stride whose seconds are the product of both strides' seconds.
      public static func * (one: Stride, other: Stride) -> Stride { Stride(one.magnitude * other.magnitude) }
      /// The sum of two strides.
      public static func + (one: Stride, other: Stride) -> Stride { Stride(one.magnitude + other.magnitude) }
      /// The difference of two strides.
      public static func - (one: Stride, other: Stride) -> Stride { Stride(one.magnitude - other.magnitude) }
      /// Multiplies the seconds of the left stride by those of the right one.
      public static func *= (one: inout Stride, other: Stride) { one.magnitude *= other.magnitude }
      /// Adds the right stride to the left one.
      public static func += (one: inout Stride, other: Stride) { one.magnitude += other.magnitude }
      /// Subtracts the right stride from the left one.
      public static func -= (one: inout Stride, other: Stride) { one.magnitude -= other.magnitude }

      /// `s` seconds.
      public static func seconds(_ s: Int) -> Stride { Stride(TimeInterval(s)) }
      /// `s` seconds.
      public static func seconds(_ s: Double) -> Stride { Stride(s) }
      /// A stride of `ms` milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(TimeInterval(ms) / 1e3) }
      /// A stride of `us` microseconds.
      public static func microseconds(_ us: Int) -> Stride { Stride(TimeInterval(us) / 1e6) }
      /// A stride of `ns` nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(TimeInterval(ns) / 1e9) }
    }
  }
#endif
