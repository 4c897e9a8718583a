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

  /// The arguments with which the program runs the tests of a name alone.
  package static func arguments(test name: String) -> [String] { ["--testing-library", "swift-testing", "--filter", name] }

  /// The folder of the package's products: the one of this program, or of the bundle that a runner of tests was given.
  private static let products: URL = {
    let bundle = CommandLine.arguments.drop { $0 != "--test-bundle-path" }.dropFirst().first
    let program = bundle ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: program).deletingLastPathComponent()
  }()

  /// The path of a program or library of the package, whether it has been built or not.
  package static func product(_ name: String) -> String {
    products.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// Whether an emulator of another processor runs it. What is seen of its processes from outside, their memory, threads and registers, is the
  /// emulator's then, and nothing can be traced.
  package static let isEmulated: Bool = {
    // Emulators answer for the first of these names alone.
    let names = ["/proc/self/exe", "/proc/thread-self/exe"].map { try? FileManager.default.destinationOfSymbolicLink(atPath: $0) }
    return names[0] != names[1]
  }()

  /// Why a test that asks this program by a signal doesn't run in an emulator.
  package static let signalsAreHidden = "the signals that an emulator handles are seen from outside, not the program's"
}
