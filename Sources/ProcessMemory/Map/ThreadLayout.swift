/// Recognizes the thread descriptor of glibc on x86-64 at the upper end of a thread's stack. Has no side effects.
package enum ThreadLayout {
  /// The length of the stack's end that is searched, in words.
  private static let searched = 1024

  /// The thread ID in the descriptor of the thread with this stack; nil if no descriptor is found.
  ///
  /// A descriptor (`struct pthread`) is at the stack's end. Its first and third words are its own address, and the thread ID is at a fixed offset.
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
