import Foundation

/// A program that has been found in PATH and checked: the library can be preloaded into it.
package struct RecordedProgram: Sendable, Equatable {
  /// Why a program can't be examined.
  package enum Failure: Error, Equatable {
    /// There is no command with this name.
    case notFound
    /// The command exists but can't be executed.
    case notExecutable
    /// The program is linked statically, so there is no dynamic linker that could load the library.
    case isStatic
    /// The program is set-user-ID or set-group-ID, for which the dynamic linker ignores LD_PRELOAD.
    case changesIdentity
    /// The program is for another processor architecture.
    case isForeign
  }

  package let path: String

  private static let longestChain = 4

  /// Finds a command as a shell does, and checks that the library can be preloaded into it.
  /// - Parameter search: The folders to search, separated by colons as in the variable PATH.
  package init(_ command: String, search: String) throws(Failure) {
    do throws(CommandFailure) { path = try ExecutableSearch.path(command, in: search) } catch {
      if case .notFound = error { throw .notFound }
      throw .notExecutable
    }
    try RecordedProgram.check(path, depth: 0)
  }

  private static func check(_ path: String, depth: Int) throws(Failure) {
    var facts = stat()
    guard depth < longestChain, stat(path, &facts) == 0 else { throw .notExecutable }
    let changes = (facts.st_mode & S_ISUID != 0 && facts.st_uid != getuid()) || (facts.st_mode & S_ISGID != 0 && facts.st_gid != getgid())
    if changes { throw .changesIdentity }
    // An executable file needn't be readable. It isn't checked then; `LeakObservation` notices if the library isn't loaded.
    guard let file = try? FileHandle(forReadingFrom: URL(filePath: path)), let head = try? file.read(upToCount: 4096) else { return }
    if head.starts(with: Array("#!".utf8)) {
      let line = String(decoding: head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let interpreter = line.split(separator: " ").first else { throw .notExecutable }
      return try check(String(interpreter), depth: depth + 1)
    }
    try checkImage([UInt8](head))
  }

  #if arch(arm64)
    private static let machine: UInt16 = 183
  #else
    private static let machine: UInt16 = 62
  #endif

  /// Checks that an ELF file is for this processor and names a dynamic linker (a program header PT_INTERP). `head` is the beginning of the file.
  private static func checkImage(_ head: [UInt8]) throws(Failure) {
    // A file that isn't ELF isn't checked; the kernel refuses to execute it.
    guard head.count >= 64, head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return }
    func value<Value: FixedWidthInteger>(_ offset: Int, _ type: Value.Type) -> Value? {
      guard offset >= 0, offset <= head.count - MemoryLayout<Value>.size else { return nil }
      return head.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
    guard head[4] == 2, value(18, UInt16.self) == machine else { throw .isForeign }
    guard let table = value(32, UInt64.self), let size = value(54, UInt16.self), let count = value(56, UInt16.self), table < 4096 else {
      return
    }
    for index in 0..<Int(count) {
      // A program header after the bytes that were read isn't known, so the file isn't refused.
      guard let type = value(Int(table) + index * Int(size), UInt32.self) else { return }
      if type == 3 { return }
    }
    throw .isStatic
  }
}
