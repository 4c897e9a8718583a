import CLoadingProcess
import Foundation

/// Names of Swift's symbols and types in their written form.
package enum SwiftDemangling {
  /// The text of a mangled name; nil if it is none.
  package static func text(_ name: String) -> String? {
    guard let text = uls_demangled(name) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}

/// Names of C++ symbols in their written form.
enum CDemangling {
  private typealias Function =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int32>?
    ) -> UnsafeMutablePointer<CChar>?

  /// The function of the C++ library, which the Swift runtime uses; nil where it has been linked without this one.
  private static let function = dlsym(nil, "__cxa_demangle").map { unsafeBitCast($0, to: Function.self) }

  /// The text of a mangled name; nil if it is none.
  static func text(_ name: String) -> String? {
    guard name.hasPrefix("_Z"), let text = function?(name, nil, nil, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
