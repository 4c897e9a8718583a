import Foundation

/// Writes a message in the format of `printf`, with `%@` for objects and `%{public}…` and `%{private}…` before a value's type.
///
/// Text and objects read `<private>` where they aren't public.
/// - Parameter args: Numbers, text and objects; a value too few reads `<missing>`.
@_disfavoredOverload
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default, _ args: Any...
) {
  write(type, log, message, args)
}

/// As `os_log(_:dso:log:type:_:)`, with the level first.
@_disfavoredOverload
public func os_log(_ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString, _ args: Any...) {
  write(type, log, message, args)
}

/// Writes an interpolated message.
public func os_log(_ message: OSLogMessage, log: OSLog = .default, type: OSLogType = .default) {
  guard log.isEnabled(type: type) else { return }
  LogOutput.shared.write(message.text(showingPrivate: LogOutput.shared.showsPrivate), log, type)
}

/// Writes an interpolated message, with the level first.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { os_log(message, log: log, type: type) }

private func write(_ type: OSLogType, _ log: OSLog, _ message: StaticString, _ values: [Any]) {
  guard log.isEnabled(type: type) else { return }
  let format = LogFormat("\(message)", values)
  LogOutput.shared.write(format.text(showingPrivate: LogOutput.shared.showsPrivate), log, type)
}
