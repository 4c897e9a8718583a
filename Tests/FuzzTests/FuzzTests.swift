import Foundation
import MessageSamples
import Testing

/// The inputs of every fuzz target: its seeds, what `make fuzz` has found worth keeping, and mutations of both by a fixed seed.
///
/// A finding traps, and ends the test program; `make fuzz` with the same target finds the input again and keeps it.
@Suite(.timeLimit(.minutes(10))) struct FuzzTests {
  private static let corpora = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Corpora")
    .standardizedFileURL
  private static let mutations = ProcessInfo.processInfo.environment["FUZZ_MUTATIONS"].flatMap { Int($0) } ?? 2000

  private static func inputs(_ target: FuzzTarget) -> [[UInt8]] {
    let folder = corpora.appending(path: target.name, directoryHint: .isDirectory)
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return target.seeds + files.sorted { $0.path < $1.path }.compactMap { try? [UInt8](Data(contentsOf: $0)) }
  }

  @Test func namesAreDifferent() {
    #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    let names = Set(FuzzTarget.all.map(\.name))
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: Self.corpora.path(percentEncoded: false))) ?? []
    for folder in folders { #expect(names.contains(folder), "no target has the corpus \(folder)") }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func inputsAreBorne(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let inputs = Self.inputs(target)
    for input in inputs + [[]] { target.run(input[...]) }
    var mutator = FuzzMutator(seed: name.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) })
    for _ in 0..<(target.isSlow ? Self.mutations / 40 : Self.mutations) { target.run(mutator.mutated(inputs)[...]) }
  }
}

/// Changes inputs as a fuzzer does, the same with each seed.
struct FuzzMutator {
  private var numbers: MessageMutations
  private static let tokens = [
    "\r\n", "\0", ";", ",", "=", "\"", "\\", ":", "%", "0", "-1", "99999999999999999999", "\u{FF}", "chunked", "{", "[",
  ]
  .map { Array($0.utf8) }

  init(seed: UInt64) { numbers = MessageMutations(seed: seed | 1) }

  private mutating func next() -> UInt64 { numbers.next() }
  private mutating func below(_ limit: Int) -> Int { numbers.below(limit) }

  mutating func mutated(_ inputs: [[UInt8]]) -> [UInt8] {
    var bytes = inputs.isEmpty ? [] : inputs[below(inputs.count)]
    for _ in 0...below(4) {
      let place = below(bytes.count + 1)
      switch below(7) {
      case 0: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
      case 1: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: next()) }
      case 2: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
      case 4: bytes.insert(contentsOf: FuzzMutator.tokens[below(FuzzMutator.tokens.count)], at: place)
      case 5: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + below(16))], at: place)
      default:
        let other = inputs.isEmpty ? [] : inputs[below(inputs.count)]
        bytes = Array(bytes.prefix(place)) + other.suffix(below(other.count + 1))
      }
    }
    return Array(bytes.prefix(4096))
  }
}
