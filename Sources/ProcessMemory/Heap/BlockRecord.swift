/// The header of the record that the preloaded library keeps in the examined program's memory. `CLoadingLeaks.h` describes each field.
struct BlockRecord: Sendable, Equatable {
  static let magic: UInt64 = 0x736b_6165_6c6c_7275
  static let version: UInt64 = 1
  private static let wordCount = 14
  /// The number of bits of an entry that hold the block's slack: its usable size minus its requested size.
  static let slackBits: UInt32 = 6
  /// The largest slack that an entry can hold; a block with this value may have more.
  static let longestSlack: UInt32 = 63

  let regions: UInt64
  let regionCount: UInt64
  let regionShift: UInt64
  let granule: UInt64
  let places: UInt64
  let placesSize: UInt64
  let reallocations: UInt64
  let lost: UInt64
  /// The address ranges of the library's tables, which aren't searched for references.
  let tables: [Range<UInt64>]

  /// Reads the record at an address; nil if there is no record there, or one of another version.
  init?(at address: UInt64, in file: MemoryFile) {
    guard let words = file.words(address, BlockRecord.wordCount), words[0] == BlockRecord.magic, words[1] == BlockRecord.version,
      (20...40).contains(words[4]), (1...(1 << 24)).contains(words[3]), words[5] >= 8, words[5] <= 4096, words[5].nonzeroBitCount == 1,
      words[2] < 1 << 56
    else { return nil }
    (regions, regionCount, regionShift, granule) = (words[2], words[3], words[4], words[5])
    (places, placesSize, reallocations, lost) = (words[6], words[7], words[8], words[9])
    tables = [(words[2], words[3] &* 8), (words[6], words[7]), (words[10], words[11]), (words[12], words[13])]
      .filter { $0.0 > 0 && !$0.0.addingReportingOverflow($0.1).overflow }.map { $0.0..<($0.0 + $0.1) }
  }

  /// The size of the entries of one region, in bytes.
  var entriesSize: UInt64 { (1 << regionShift) / granule * 4 }

  /// The addresses of the regions' entries in the program's memory, by the region's number.
  func entries(in file: MemoryFile) -> [UInt64: UInt64] {
    var found: [UInt64: UInt64] = [:]
    for run in file.runs(.present, from: regions, to: regions + regionCount * 8) {
      let count = Int((run.end - run.start) / 8)
      for (index, word) in (file.words(run.start, count) ?? []).enumerated() where word != 0 && word < 1 << 56 {
        found[(run.start - regions) / 8 + UInt64(index)] = word
      }
    }
    return found
  }
}
