import Foundation

/// Whether the tests are built with Address- or ThreadSanitizer: these have a malloc and a layout of memory of their own, and code is many times
/// slower.
package enum Sanitizer {
  package static let isActive = ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }
}
