/// What a region is for: the kinds that vmmap tells apart, as far as Linux has them. The raw value is what is printed and written as JSON.
package enum RegionKind: String, Sendable, CaseIterable, Codable {
  /// Code of a program or library, and the constants that lie behind it in its file.
  case text = "__TEXT"
  /// Data that was made read-only after it had been relocated (RELRO).
  case dataConst = "__DATA_CONST"
  /// Variables of a program or library: those with initial values, which come from the file, and those that begin as zeros (bss).
  case data = "__DATA"
  /// What precedes the code in the file: symbol tables, relocations and, depending on the linker, constants.
  case linkEdit = "__LINKEDIT"
  /// Memory that glibc's malloc has obtained: the brk heap, arenas, and blocks with a mapping of their own.
  case malloc = "MALLOC"
  /// Address space that malloc has reserved for an arena but can't access yet. It takes no memory.
  case mallocGuard = "MALLOC guard page"
  /// The stack of a thread.
  case stack = "Stack"
  /// The inaccessible pages under a thread's stack that stop a recursion which is too deep.
  case stackGuard = "Stack Guard"
  /// A file that isn't a program or library.
  case mappedFile = "mapped file"
  /// Memory that processes share without a file on a disk.
  case sharedMemory = "shared memory"
  /// Memory without a file that is none of the other kinds.
  case anonymous = "anonymous"
  /// Address space without access (PROT_NONE) that is none of the other kinds. It takes no memory.
  case reserved = "reserved"
  /// What the kernel maps into each process.
  case kernel = "vdso/vvar"
}
