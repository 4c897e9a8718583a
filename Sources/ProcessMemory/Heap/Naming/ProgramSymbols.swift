/// Finds the symbols of addresses of code and variables in a program's images.
final class ProgramSymbols {
  private let snapshot: MemorySnapshot
  private var images: [String: ImageSymbols] = [:]
  private var unreadable: Set<String> = []
  private var bases: [String: UInt64?] = [:]

  init(_ snapshot: MemorySnapshot) { self.snapshot = snapshot }

  /// The symbol and file of an address: `make_list (libshop.so)`, or `libshop.so+0x1234` if there is no symbol. Nil if the address is in no image.
  func text(_ address: UInt64) -> String? {
    guard let (path, offset) = location(address) else { return nil }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard let symbols = symbols(path) else { return "\(file)+0x\(String(offset, radix: 16))" }
    let own = offset &+ symbols.firstAddress
    guard let symbol = symbols.symbol(atAddress: own) else { return "\(file)+0x\(String(own, radix: 16))" }
    return "\(symbol.name) (\(file))"
  }

  /// The image that contains an address, and the distance of the address from the image's start in memory. Anonymous memory directly after an image's
  /// last file mapping belongs to it: its zero-initialized variables (.bss).
  private func location(_ address: UInt64) -> (path: String, offset: UInt64)? {
    guard var region = snapshot.region(containing: address) else { return nil }
    if !region.isFile {
      guard region.isPlainAnonymous, region.start > 0, let before = snapshot.region(containing: region.start - 1), before.isFile else {
        return nil
      }
      region = before
    }
    guard let path = region.name, let base = base(path) else { return nil }
    return (path, address &- base)
  }

  /// The address at which an image is loaded: the start of its mapping with file offset 0.
  private func base(_ path: String) -> UInt64? {
    if let known = bases[path] { return known }
    let found = snapshot.regions.first { $0.name == path && $0.offset == 0 }?.start
    bases[path] = .some(found)
    return found
  }

  private func symbols(_ path: String) -> ImageSymbols? {
    if let known = images[path] { return known }
    guard !unreadable.contains(path) else { return nil }
    guard let read = ImageSymbols(path: path) else {
      unreadable.insert(path)
      return nil
    }
    images[path] = read
    return read
  }
}
