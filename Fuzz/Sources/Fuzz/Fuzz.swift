import Foundation

/// `Fuzz TARGET [libFuzzer's options and corpora]`; `Fuzz --list` prints the names, `Fuzz --seeds TARGET FOLDER` writes its first inputs.
@main enum Fuzz {
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() {
    var arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--list":
      for target in FuzzTarget.all { print(target.name) }
    case "--seeds" where arguments.count == 4:
      guard let target = FuzzTarget.named(arguments[2]) else { return usage() }
      for (number, seed) in target.seeds.enumerated() {
        FileManager.default.createFile(atPath: "\(arguments[3])/seed-\(number)", contents: Data(seed))
      }
    case let name?:
      guard let named = FuzzTarget.named(name) else { return usage() }
      target = named
      arguments.remove(at: 1)
      exit(drive(arguments))
    case nil: usage()
    }
  }

  private static func usage() {
    FileHandle.standardError.write(Data("usage: Fuzz TARGET [options of libFuzzer] [CORPUS…] | --list | --seeds TARGET FOLDER\n".utf8))
    exit(2)
  }

  private static func drive(_ arguments: [String]) -> Int32 {
    var count = Int32(arguments.count)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    return words.withUnsafeMutableBufferPointer { buffer in
      var list = buffer.baseAddress
      return LLVMFuzzerRunDriver(&count, &list) { bytes, length in
        let input = UnsafeBufferPointer(start: bytes, count: length)
        Fuzz.target?.run(Array(input)[...])
        return 0
      }
    }
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func LLVMFuzzerRunDriver(
  _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
