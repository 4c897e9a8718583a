import Foundation

// libFuzzer has the main function of this program, and calls these two.
//
// `Fuzz TARGET [libFuzzer's options and corpora]`; `Fuzz --list` prints the names, `Fuzz --seeds TARGET FOLDER` writes its first inputs.

/// The variable that names the target to the processes that libFuzzer starts for `-merge`, which get its options alone.
private let targetVariable = "FUZZ_TARGET"

nonisolated(unsafe) private var target: FuzzTarget?

@_cdecl("LLVMFuzzerInitialize")
func initializeFuzzing(
  _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  let words = CommandLine.arguments
  switch words.dropFirst().first {
  case "--list":
    for target in FuzzTarget.all { print(target.name) }
    exit(0)
  case "--seeds" where words.count == 4:
    guard let named = FuzzTarget.named(words[2]) else { return usage() }
    for (number, seed) in named.seeds.enumerated() {
      try? Data(seed).write(to: URL(filePath: "\(words[3])/seed-\(number)"))
    }
    exit(0)
  case let name? where !name.hasPrefix("-"):
    guard let named = FuzzTarget.named(name) else { return usage() }
    target = named
    setenv(targetVariable, name, 1)
    // The name is taken out: libFuzzer takes words without a hyphen for corpora.
    let list = arguments.pointee
    for index in 1..<Int(count.pointee) { list[index] = list[index + 1] }
    count.pointee -= 1
  default:
    guard let name = ProcessInfo.processInfo.environment[targetVariable], let named = FuzzTarget.named(name) else { return usage() }
    target = named
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
  target?.run(Array(UnsafeBufferPointer(start: bytes, count: length))[...])
  return 0
}

private func usage() -> Int32 {
  FileHandle.standardError.write(Data("usage: Fuzz TARGET [options of libFuzzer] [CORPUS…] | --list | --seeds TARGET FOLDER\n".utf8))
  exit(2)
}
