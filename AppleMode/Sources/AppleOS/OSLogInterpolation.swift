import Foundation

/// Collects the pieces of an interpolated message.
public struct OSLogInterpolation: StringInterpolationProtocol {
  var pieces: [OSLogMessage.Piece] = []

  /// An empty message.
  public init(literalCapacity: Int, interpolationCount: Int) { pieces.reserveCapacity(interpolationCount * 2 + 1) }

  /// Text of the message itself.
  public mutating func appendLiteral(_ literal: String) { pieces.append(.literal(literal)) }

  /// Text: private unless it says otherwise.
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    add({ align.apply(value()) }, privacy, isText: true)
  }

  /// Anything that describes itself: private unless it says otherwise, or is a number.
  public mutating func appendInterpolation<T: CustomStringConvertible>(
    _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    // Numbers get here as well where they are given without a format.
    let isNumber = T.self is any BinaryInteger.Type || T.self is any BinaryFloatingPoint.Type || T.self == Bool.self
    add({ align.apply(value().description) }, privacy, isText: !isNumber)
  }

  /// A type: private unless it says otherwise.
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> any Any.Type, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
  ) {
    add({ align.apply("\(value())") }, privacy, isText: true)
  }

  /// An object: private unless it says otherwise.
  public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> NSObject, privacy: OSLogPrivacy = .auto) {
    add({ value().description }, privacy, isText: true)
  }

  /// An object, or nothing: private unless it says otherwise.
  public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto) {
    add({ value()?.description ?? "(null)" }, privacy, isText: true)
  }

  /// An error: private unless it says otherwise.
  public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> NSError, privacy: OSLogPrivacy = .auto) {
    add({ value().description }, privacy, isText: true)
  }

  /// An error: private unless it says otherwise.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> any Error, privacy: OSLogPrivacy = .auto) {
    add({ "\(value())" }, privacy, isText: true)
  }

  /// An integer: public unless it says otherwise.
  public mutating func appendInterpolation<T: FixedWidthInteger>(
    _ value: @autoclosure @escaping () -> T, format: OSLogIntegerFormatting = .decimal, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    add({ align.apply(format.text(value())) }, privacy, isText: false)
  }

  /// A floating-point number: public unless it says otherwise.
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    add({ align.apply(format.text(value())) }, privacy, isText: false)
  }

  /// A floating-point number: public unless it says otherwise.
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    add({ align.apply(format.text(Double(value()))) }, privacy, isText: false)
  }

  /// A truth value: public unless it says otherwise.
  public mutating func appendInterpolation(
    _ value: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto
  ) {
    add({ format.text(value()) }, privacy, isText: false)
  }

  private mutating func add(_ value: @escaping () -> String, _ privacy: OSLogPrivacy, isText: Bool) {
    pieces.append(.value(value, privacy, isText: isText))
  }
}

extension OSLogMessage {
  /// Collects the pieces of an interpolated message.
  public typealias StringInterpolation = OSLogInterpolation
}
