/// How glibc's thread library on x86-64 is recognised at the upper end of a thread's stack. Pure.
package enum ThreadLayout {
  /// How much of the stack's end is searched, in words.
  private static let searched = 1024

  /// The number that the thread with this stack has written into its descriptor; nil if none is found.
  ///
  /// A descriptor (`struct pthread`) lies at the stack's end. Its first and third words are its own address, and the thread's number is at
  /// a fixed place in it.
  static func thread(ofStack region: MemoryRegion, _ words: ReadWords) -> Int32? {
    let count = Int(min(region.size / 8, UInt64(searched)))
    let base = region.end - UInt64(count) * 8
    guard let end = words(base, count), end.count == count else { return nil }
    let numberIndex = 720 / 8
    for index in stride(from: 0, to: max(0, count - numberIndex), by: 8) {
      let address = base + UInt64(index) * 8
      if end[index] == address, end[index + 2] == address { return Int32(truncatingIfNeeded: end[index + numberIndex]) }
    }
    return nil
  }
}
