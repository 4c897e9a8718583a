#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue.SchedulerTimeType {
    /// A length of time in nanoseconds. What doesn't fit is the longest that does.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Hashable, Codable,
      Sendable
    {
      /// Literals are seconds.
      public typealias FloatLiteralType = Double
      /// Literals are seconds.
      public typealias IntegerLiteralType = Int
      /// Nanoseconds.
      public typealias Magnitude = Int

      /// The nanoseconds, with their sign.
      public var magnitude: Int
      /// The same as Dispatch has it.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      private init(nanoseconds: Int) { magnitude = nanoseconds }

      /// The length of `timeInterval`; `never` is the longest.
      public init(_ timeInterval: DispatchTimeInterval) {
        switch timeInterval {
        case .seconds(let count): self = .seconds(count)
        case .milliseconds(let count): self = .milliseconds(count)
        case .microseconds(let count): self = .microseconds(count)
        case .nanoseconds(let count): self = .nanoseconds(count)
        default: self.init(nanoseconds: .max)
        }
      }

      /// `value` seconds.
      public init(floatLiteral value: Double) { self = .seconds(value) }

      /// `value` seconds.
      public init(integerLiteral value: Int) { self = .seconds(value) }

      /// `source` seconds; nil if an `Int` can't express them.
      public init?<Source: BinaryInteger>(exactly source: Source) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      /// Whether one is shorter.
      public static func < (one: Stride, other: Stride) -> Bool { one.magnitude < other.magnitude }

      /// The product of the nanoseconds.
      public static func * (one: Stride, other: Stride) -> Stride { Stride(nanoseconds: product(one.magnitude, other.magnitude)) }

      /// The sum.
      public static func + (one: Stride, other: Stride) -> Stride {
        let (sum, overflows) = one.magnitude.addingReportingOverflow(other.magnitude)
        return Stride(nanoseconds: overflows ? (other.magnitude > 0 ? .max : .min) : sum)
      }

      /// The difference.
      public static func - (one: Stride, other: Stride) -> Stride {
        let (difference, overflows) = one.magnitude.subtractingReportingOverflow(other.magnitude)
        return Stride(nanoseconds: overflows ? (other.magnitude < 0 ? .max : .min) : difference)
      }

      /// Multiplies the nanoseconds.
      public static func *= (one: inout Stride, other: Stride) { one = one * other }
      /// Adds.
      public static func += (one: inout Stride, other: Stride) { one = one + other }
      /// Subtracts.
      public static func -= (one: inout Stride, other: Stride) { one = one - other }

      /// `s` seconds; what isn't a number is nothing.
      public static func seconds(_ s: Double) -> Stride {
        let nanoseconds = s * 1e9
        if nanoseconds.isNaN { return Stride(nanoseconds: 0) }
        if nanoseconds >= Double(Int.max) { return Stride(nanoseconds: .max) }
        if nanoseconds <= Double(Int.min) { return Stride(nanoseconds: .min) }
        return Stride(nanoseconds: Int(nanoseconds))
      }

      /// `s` seconds.
      public static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: product(s, 1_000_000_000)) }
      /// `ms` thousandths of a second.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: product(ms, 1_000_000)) }
      /// `us` millionths of a second.
      public static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: product(us, 1000)) }
      /// `ns` billionths of a second.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

      private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? ((one < 0) == (other < 0) ? .max : .min) : product
      }
    }
  }
#endif
