import CLoadingProcess
import Foundation

/// The call stack at which a session, task or observation was made: return addresses, which are resolved to names only when they are shown.
struct CallPlace: Sendable {
  private static let capacity = 40
  private static let shown = 8

  private let addresses: [UInt]

  /// Captures the call stack of the calling thread.
  init() {
    var found = [UnsafeMutableRawPointer?](repeating: nil, count: CallPlace.capacity)
    let count = Int(uls_call_place(&found, Int32(found.count)))
    addresses = found.prefix(max(0, count)).map { UInt(bitPattern: $0) }
  }

  /// A line for each caller outside this library, the innermost first: function, file and offset in the file.
  var lines: [String] {
    let frames = addresses.compactMap(Frame.init(returnAddress:))
    return frames.drop(while: \.isOwn).prefix(CallPlace.shown).map(\.text)
  }

  private struct Frame {
    let text: String
    let isOwn: Bool

    init?(returnAddress: UInt) {
      // A return address is behind the call instruction: the address before it belongs to the calling function.
      guard returnAddress > 0, let address = UnsafeRawPointer(bitPattern: returnAddress - 1) else { return nil }
      var place = uls_code_place()
      guard uls_code_place_of(address, &place) != 0, let file = place.file else { return nil }
      let symbol = place.symbol.map { String(cString: $0) }
      let name = symbol.map { Frame.demangled($0) ?? $0 }
      let image = String(cString: file).split(separator: "/").last.map(String.init) ?? "?"
      let offset = "\(image)+0x\(String(returnAddress - 1 - UInt(place.base), radix: 16))"
      text = name.map { "\($0) (\(offset))" } ?? offset
      isOwn = symbol.map { $0.contains("16URLLoadingSystem") || $0 == "uls_call_place" } ?? image.contains("URLLoadingSystem")
    }

    private static func demangled(_ symbol: String) -> String? {
      guard let text = uls_demangled(symbol) else { return nil }
      defer { free(text) }
      return String(cString: text)
    }
  }
}
