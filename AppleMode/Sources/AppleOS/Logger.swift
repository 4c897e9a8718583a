/// Writes messages of a subsystem and category, with interpolated values that say whether they may be read by others.
public struct Logger: Sendable {
  private let log: OSLog

  /// A logger of a subsystem and category.
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

  /// A logger of the log without a name.
  public init() { log = .default }

  /// A logger that writes where `logObj` does.
  public init(_ logObj: OSLog) { log = logObj }

  /// A message of level `default`.
  public func log(_ message: OSLogMessage) { write(message, .default) }

  /// A message of any level.
  public func log(level: OSLogType, _ message: OSLogMessage) { write(message, level) }

  /// A message of level `debug`.
  public func trace(_ message: OSLogMessage) { write(message, .debug) }

  /// A message of level `debug`.
  public func debug(_ message: OSLogMessage) { write(message, .debug) }

  /// A message of level `info`.
  public func info(_ message: OSLogMessage) { write(message, .info) }

  /// A message of level `default`.
  public func notice(_ message: OSLogMessage) { write(message, .default) }

  /// A message of level `error`.
  public func warning(_ message: OSLogMessage) { write(message, .error) }

  /// A message of level `error`.
  public func error(_ message: OSLogMessage) { write(message, .error) }

  /// A message of level `fault`.
  public func critical(_ message: OSLogMessage) { write(message, .fault) }

  /// A message of level `fault`.
  public func fault(_ message: OSLogMessage) { write(message, .fault) }

  private func write(_ message: OSLogMessage, _ type: OSLogType) {
    guard log.isEnabled(type: type) else { return }
    LogOutput.shared.write(message.text(showingPrivate: LogOutput.shared.showsPrivate), log, type)
  }
}
