/// The use of a region: the kinds that Apple's vmmap distinguishes, if Linux has them. The raw value is printed and written to JSON.
package enum RegionKind: String, Sendable, CaseIterable, Codable {
  /// Code of a program or library, and the constants after it in the file.
  case text = "__TEXT"
  /// Data that was made read-only after it had been relocated (RELRO).
  case dataConst = "__DATA_CONST"
  /// Variables of a program or library: initialized ones from the file, and zero-initialized ones (.bss).
  case data = "__DATA"
  /// The part of a program or library before its code: symbol tables, relocations and, depending on the linker, constants.
  case linkEdit = "__LINKEDIT"
  /// Memory that glibc's malloc has obtained: the brk heap, arenas, and blocks with a mapping of their own.
  case malloc = "MALLOC"
  /// Address space that malloc has reserved for an arena but not made accessible yet. It takes no memory.
  case mallocGuard = "MALLOC guard page"
  /// The stack of a thread.
  case stack = "Stack"
  /// The inaccessible pages below a thread's stack, which stop a too deep recursion.
  case stackGuard = "Stack Guard"
  /// A file that isn't a program or library.
  case mappedFile = "mapped file"
  /// Memory shared by processes without a file on disk.
  case sharedMemory = "shared memory"
  /// Anonymous memory that is none of the other kinds.
  case anonymous = "anonymous"
  /// Address space without access (PROT_NONE) that is none of the other kinds. It takes no memory.
  case reserved = "reserved"
  /// Memory that the kernel maps into each process (vDSO, vvar).
  case kernel = "vdso/vvar"
}
