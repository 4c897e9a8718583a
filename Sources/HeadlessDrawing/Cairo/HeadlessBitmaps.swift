import CLoadingCairo
import Foundation
import Synchronization

/// Whether bitmaps can be drawn here: an addition to Apple's API, whose drawing functions have no way to fail.
///
/// Bitmaps and PNG need cairo (`libcairo.so.2`; the package `libcairo2` of Debian and Ubuntu), which is loaded when it is first used. Where
/// it is missing, renderers return empty images, PNG isn't read or written, text is measured by an estimate, and one line on standard
/// error says why. Geometry and SVG work without it.
public enum HeadlessBitmaps {
  /// Whether bitmaps can be drawn: false if cairo can't be loaded.
  public static var isAvailable: Bool { reasonIfUnavailable == nil }

  /// Why bitmaps can't be drawn and what to do about it, or nil if they can.
  public static var reasonIfUnavailable: String? {
    if let reason = missing { return reason }
    return loading_cairo_unavailable_reason().map { String(cString: $0) }
  }

  /// A test sets this to a reason, and code in the test's task behaves as if cairo were missing for that reason.
  @TaskLocal static var missing: String?

  private static let hasReported = Mutex(false)

  /// Whether bitmaps can be drawn. If not, the first call of the process writes the reason to standard error.
  static func isAvailableOrReported() -> Bool {
    guard let reason = reasonIfUnavailable else { return true }
    let isFirst = hasReported.withLock { reported in
      defer { reported = true }
      return !reported
    }
    if isFirst { report(reason) }
    return false
  }

  /// Writes one line with the prefix `HeadlessDrawing:` to standard error.
  static func report(_ message: String) { FileHandle.standardError.write(Data("HeadlessDrawing: \(message)\n".utf8)) }
}
