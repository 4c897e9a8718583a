import ChildProcesses
import Foundation

@testable import HeadlessDrawing

/// Draws SVG by librsvg's program.
enum SVGComparison {
  /// The path of `rsvg-convert`, or nil where it isn't installed.
  static let renderer = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/rsvg-convert" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The image of a document; nil if it can't be drawn.
  static func image(of svg: Data) throws -> UIImage? {
    guard let renderer else { return nil }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("HeadlessDrawing-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appendingPathComponent("in.svg"), folder.appendingPathComponent("out.png"))
    try svg.write(to: input)
    let status = try ChildProcess(renderer, [input.path, "-o", output.path]).wait()
    guard status == 0, let png = FileManager.default.contents(atPath: output.path) else { return nil }
    return UIImage(data: png)
  }

  /// The part of the pixels, from 0 to 1, of which a component differs by more than `tolerance` of 255; 1 if the sizes differ.
  static func difference(_ left: UIImage, _ right: UIImage, tolerance: Int = 8) -> Double {
    guard let left = left.cgImage?.bitmap, let right = right.cgImage?.bitmap, left.width == right.width, left.height == right.height else {
      return 1
    }
    let shifts: [UInt32] = [24, 16, 8, 0]
    func component(_ pixel: UInt32, _ shift: UInt32) -> Int { Int((pixel >> shift) & 0xff) }
    let different = zip(left.pixels, right.pixels).count { first, second in
      shifts.contains { shift in abs(component(first, shift) - component(second, shift)) > tolerance }
    }
    return Double(different) / Double(left.pixels.count)
  }

  /// Whether elements are closed in the order in which they are opened, and attributes are quoted.
  static func isWellFormed(_ svg: Data) -> Bool {
    var open: [Substring] = []
    for part in String(decoding: svg, as: UTF8.self).split(separator: "<").dropFirst(0) {
      guard let end = part.firstIndex(of: ">") else { return false }
      let tag = part[..<end]
      guard tag.count(where: { $0 == "\"" }).isMultiple(of: 2) else { return false }
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
    }
    return open.isEmpty
  }
}
