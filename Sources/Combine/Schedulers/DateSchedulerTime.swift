#if Combine
  import Foundation
  import OpenCombine

  /// The time of run loops and operation queues as schedulers: a date.
  public struct DateSchedulerTime: Strideable, Codable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// The time at `date`.
    public init(_ date: Date) { self.date = date }

    /// The time from this one to `other`; negative if that is earlier.
    public func distance(to other: DateSchedulerTime) -> Stride {
      Stride(other.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
    }

    /// The time `n` later.
    public func advanced(by n: Stride) -> DateSchedulerTime { DateSchedulerTime(date + n.magnitude) }

    /// A length of time in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Codable, Hashable,
      Sendable
    {
      /// Literals are seconds.
      public typealias FloatLiteralType = TimeInterval
      /// Literals are seconds.
      public typealias IntegerLiteralType = TimeInterval
      /// Seconds.
      public typealias Magnitude = TimeInterval

      /// The seconds, with their sign.
      public var magnitude: TimeInterval
      /// The seconds, with their sign.
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

      /// Whether one is shorter.
      public static func < (one: Stride, other: Stride) -> Bool { one.magnitude < other.magnitude }
      /// The product of the seconds.
      public static func * (one: Stride, other: Stride) -> Stride { Stride(one.magnitude * other.magnitude) }
      /// The sum.
      public static func + (one: Stride, other: Stride) -> Stride { Stride(one.magnitude + other.magnitude) }
      /// The difference.
      public static func - (one: Stride, other: Stride) -> Stride { Stride(one.magnitude - other.magnitude) }
      /// Multiplies the seconds.
      public static func *= (one: inout Stride, other: Stride) { one.magnitude *= other.magnitude }
      /// Adds.
      public static func += (one: inout Stride, other: Stride) { one.magnitude += other.magnitude }
      /// Subtracts.
      public static func -= (one: inout Stride, other: Stride) { one.magnitude -= other.magnitude }

      /// `s` seconds.
      public static func seconds(_ s: Int) -> Stride { Stride(TimeInterval(s)) }
      /// `s` seconds.
      public static func seconds(_ s: Double) -> Stride { Stride(s) }
      /// `ms` thousandths of a second.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(TimeInterval(ms) / 1e3) }
      /// `us` millionths of a second.
      public static func microseconds(_ us: Int) -> Stride { Stride(TimeInterval(us) / 1e6) }
      /// `ns` billionths of a second.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(TimeInterval(ns) / 1e9) }
    }
  }
#endif
