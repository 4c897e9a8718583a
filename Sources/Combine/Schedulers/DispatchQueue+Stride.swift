#if Combine
  import Dispatch
  import OpenCombine

  extension DispatchQueue.SchedulerTimeType {
    /// A length of time in nanoseconds. Results that don't fit into an `Int` become the longest or shortest possible stride.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral, Hashable, Codable,
      Sendable
    {
      /// Float literals are seconds.
      public typealias FloatLiteralType = Double
      /// Integer literals are seconds.
      public typealias IntegerLiteralType = Int
      /// The type of the number of nanoseconds.
      public typealias Magnitude = Int

      /// The number of nanoseconds; negative for a stride backwards.
      public var magnitude: Int
      /// The stride as a `DispatchTimeInterval`.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      private init(nanoseconds: Int) { magnitude = nanoseconds }

      /// The length of a `DispatchTimeInterval`; `never` becomes the longest possible stride.
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

      /// A stride of `source` seconds; nil if they don't fit into an `Int`.
      public init?<Source: BinaryInteger>(exactly source: Source) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      /// Whether the left stride is smaller than the right one.
      public static func < (one: Stride, other: Stride) -> Bool { one.magnitude < other.magnitude }

      /// The stride whose nanoseconds are the product of both strides' nanoseconds.
      public static func * (one: Stride, other: Stride) -> Stride { Stride(nanoseconds: product(one.magnitude, other.magnitude)) }

      /// The sum of two strides.
      public static func + (one: Stride, other: Stride) -> Stride {
        let (sum, overflows) = one.magnitude.addingReportingOverflow(other.magnitude)
        return Stride(nanoseconds: overflows ? (other.magnitude > 0 ? .max : .min) : sum)
      }

      /// The difference of two strides.
      public static func - (one: Stride, other: Stride) -> Stride {
        let (difference, overflows) = one.magnitude.subtractingReportingOverflow(other.magnitude)
        return Stride(nanoseconds: overflows ? (other.magnitude < 0 ? .max : .min) : difference)
      }

      /// Multiplies the nanoseconds of the left stride by those of the right one.
      public static func *= (one: inout Stride, other: Stride) { one = one * other }
      /// Adds the right stride to the left one.
      public static func += (one: inout Stride, other: Stride) { one = one + other }
      /// Subtracts the right stride from the left one.
      public static func -= (one: inout Stride, other: Stride) { one = one - other }

      /// A stride of `s` seconds; 0 if `s` is NaN.
      public static func seconds(_ s: Double) -> Stride {
        let nanoseconds = s * 1e9
        if nanoseconds.isNaN { return Stride(nanoseconds: 0) }
        if nanoseconds >= Double(Int.max) { return Stride(nanoseconds: .max) }
        if nanoseconds <= Double(Int.min) { return Stride(nanoseconds: .min) }
        return Stride(nanoseconds: Int(nanoseconds))
      }

      /// `s` seconds.
      public static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: product(s, 1_000_000_000)) }
      /// A stride of `ms` milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: product(ms, 1_000_000)) }
      /// A stride of `us` microseconds.
      public static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: product(us, 1000)) }
      /// A stride of `ns` nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

      private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? ((one < 0) == (other < 0) ? .max : .min) : product
      }
    }
  }
#endif
