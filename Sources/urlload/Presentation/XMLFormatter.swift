import Foundation

/// Indents XML by libxml2, which is loaded where the system has it.
enum XMLFormatter {
  private typealias Read =
    @convention(c) (
      UnsafePointer<CChar>?, CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?, CInt
    ) -> OpaquePointer?
  private typealias Dump =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<CInt>, UnsafePointer<CChar>?, CInt
    ) -> Void
  private typealias Free = @convention(c) (OpaquePointer?) -> Void

  private struct Library: Sendable {
    let read: Read
    let dump: Dump
    let free: Free

    init?() {
      let names = ["libxml2.so.2", "libxml2.so.16"]
      guard let library = names.lazy.compactMap({ (name: String) in dlopen(name, RTLD_NOW | RTLD_LOCAL) }).first,
        let read = dlsym(library, "xmlReadMemory"), let dump = dlsym(library, "xmlDocDumpFormatMemoryEnc"),
        let free = dlsym(library, "xmlFreeDoc")
      else { return nil }
      self.read = unsafeBitCast(read, to: Read.self)
      self.dump = unsafeBitCast(dump, to: Dump.self)
      self.free = unsafeBitCast(free, to: Free.self)
    }
  }

  private static let library = Library()

  /// Options of `xmlReadMemory`: no messages on standard error (5, 6), no blank nodes (8), no network (11). Entities aren't replaced, so that they
  /// can't expand.
  private static let options: CInt = 1 << 5 | 1 << 6 | 1 << 8 | 1 << 11

  /// The document in UTF-8, with one element a line; nil if it isn't well-formed, or libxml2 is missing.
  static func formatted(_ document: Data) -> Data? {
    guard let library, let length = CInt(exactly: document.count) else { return nil }
    let tree = document.withUnsafeBytes { library.read($0.bindMemory(to: CChar.self).baseAddress, length, nil, nil, options) }
    guard let tree else { return nil }
    defer { library.free(tree) }
    var text: UnsafeMutablePointer<UInt8>?
    var count: CInt = 0
    library.dump(tree, &text, &count, "UTF-8", 1)
    guard let text else { return nil }
    defer { free(text) }
    return count > 0 ? Data(bytes: text, count: Int(count)) : nil
  }
}
