import Foundation
import LoadingModel

/// Reads the files of a process in /proc. Their contents can change between two reads, unless the process is stopped.
struct ProcessFiles {
  let process: Int32

  private var folder: String { "/proc/\(process)" }

  /// The content of a file in /proc/PID.
  func bytes(_ name: String) -> Result<[UInt8], SystemFile.Failure> { SystemFile.bytes("\(folder)/\(name)") }

  /// The content of a file in /proc/PID as text; nil if it can't be read.
  func text(_ name: String) -> String? { SystemFile.text("\(folder)/\(name)") }

  /// The process's state from /proc/PID/stat; nil if there is no such process.
  var state: ProcessState? { text("stat").flatMap { ProcessState(stat: $0) } }

  /// The IDs of the threads: the main thread first, then ascending.
  var threadIdentifiers: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? []
    return names.compactMap { Int32($0) }.sorted { ($0 == process ? 0 : $0) < ($1 == process ? 0 : $1) }
  }

  /// The threads: the main one first, then by ID. Threads that end during the call are left out.
  var threads: [ProcessThread] {
    threadIdentifiers.compactMap { number in
      guard let name = text("task/\(number)/comm") else { return nil }
      let pointer = text("task/\(number)/syscall").flatMap { ProcessThread.stackPointer(inSyscall: $0) }
      return ProcessThread(id: number, name: name.last == "\n" ? String(name.dropLast()) : name, stackPointer: pointer)
    }
  }

  /// The default size of a thread's stack in bytes (`RLIMIT_STACK`): 8 MiB if it can't be read, 2 MiB if it is unlimited, as in glibc.
  var stackSize: UInt64 {
    let line = text("limits")?.split(separator: "\n").first { $0.hasPrefix("Max stack size") }
    guard let word = line?.dropFirst("Max stack size".count).split(separator: " ").first else { return 8 << 20 }
    return word == "unlimited" ? 2 << 20 : UInt64(word) ?? 8 << 20
  }
}

/// The memory of a process, opened for reading; closed when this object is released.
final class ProcessWords {
  private let descriptor: Int32

  /// Opens the memory of a process. If that isn't permitted, every read returns nil.
  init(process: Int32) { descriptor = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads `count` words of eight bytes at `address`; nil if they can't be read.
  func read(_ address: UInt64, _ count: Int) -> [UInt64]? {
    // Addresses with the highest bit set belong to the kernel, and can't be a file offset.
    guard descriptor >= 0, count > 0, let offset = off_t(exactly: address) else { return nil }
    var words = [UInt64](repeating: 0, count: count)
    let got = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
    return got == count * 8 ? words : nil
  }
}
