import Foundation

/// The program that runs the tests.
package enum TestProgram {
  /// A path by which other processes can start this very program while it runs, even when it has been built anew meanwhile.
  ///
  /// By an open file, because in an emulator `/proc/PID/exe` is the emulator; that knows `/proc/self/exe` alone.
  package static let path: String = {
    let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    return descriptor < 0 ? CommandLine.arguments[0] : "/proc/\(getpid())/fd/\(descriptor)"
  }()

  /// Whether an emulator of another processor runs it. What is seen of its processes from outside, their memory, threads and registers, is the
  /// emulator's then, and nothing can be traced.
  package static let isEmulated: Bool = {
    // Emulators answer for the first of these names alone.
    let names = ["/proc/self/exe", "/proc/thread-self/exe"].map { try? FileManager.default.destinationOfSymbolicLink(atPath: $0) }
    return names[0] != names[1]
  }()
}
