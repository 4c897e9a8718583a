import CLoadingProcess
import Foundation

/// Converts mangled Swift names of symbols and types to readable text.
package enum SwiftDemangling {
  /// The readable text of a mangled Swift name; nil if the name isn't mangled.
  package static func text(_ name: String) -> String? {
    guard let text = uls_demangled(name) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}

/// Converts mangled C++ names to readable text.
enum CDemangling {
  private typealias Function =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// `__cxa_demangle` of the C++ library, which the Swift runtime is linked with; nil if this process has none.
  private static let function = dlsym(nil, "__cxa_demangle").map { unsafeBitCast($0, to: Function.self) }

  /// The readable text of a mangled C++ name; nil if the name isn't mangled.
  static func text(_ name: String) -> String? {
    guard name.hasPrefix("_Z"), let text = function?(name, nil, nil, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
