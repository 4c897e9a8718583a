import Foundation

/// Where messages belong: a subsystem and a category, which each line names.
public final class OSLog: NSObject, Sendable {
  let subsystem: String
  let category: String
  let isDiscarding: Bool

  /// A log of its own.
  public convenience init(subsystem: String, category: String) { self.init(subsystem, category, isDiscarding: false) }

  /// A log for a category that the system knows.
  public convenience init(subsystem: String, category: Category) { self.init(subsystem, category.rawValue, isDiscarding: false) }

  private init(_ subsystem: String, _ category: String, isDiscarding: Bool) {
    (self.subsystem, self.category, self.isDiscarding) = (subsystem, category, isDiscarding)
  }

  /// The log without a name.
  public static let `default` = OSLog("", "", isDiscarding: false)
  /// A log that writes nothing.
  public static let disabled = OSLog("", "", isDiscarding: true)

  /// Categories that the system knows on Apple's platforms; names like others here.
  public struct Category: Hashable, Sendable {
    let rawValue: String

    /// Points in time that are of interest to a profiler.
    public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
    /// As `pointsOfInterest`, with their stacks.
    public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    /// As `pointsOfInterest`, while a profiler records.
    public static let dynamicTracing = Category(rawValue: "DynamicTracing")
  }

  /// Whether messages of this level are written.
  public func isEnabled(type: OSLogType) -> Bool { !isDiscarding && LogOutput.shared.writes(type) }
}

/// How grave a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// Apple's number of the level.
  public let rawValue: UInt8

  /// A level by Apple's number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// As `init(rawValue:)`.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// Worth keeping: what messages without a level are.
  public static let `default` = OSLogType(0x00)
  /// Helpful, not necessary.
  public static let info = OSLogType(0x01)
  /// For development.
  public static let debug = OSLogType(0x02)
  /// Something failed in this process.
  public static let error = OSLogType(0x10)
  /// Something failed that concerns several processes, or a bug.
  public static let fault = OSLogType(0x11)
}
