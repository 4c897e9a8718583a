import Foundation
import Testing

@testable import HeadlessDrawing

@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there to compare with"))
struct ContainsTests {
  /// Compares with ten thousand points of the rendered fill, except for those that have an edge in the pixels around them.
  @Test(arguments: SamplePaths.indices)
  func containsAgreesWithTheRenderedFill(index: Int) throws {
    let path = SamplePaths[index]
    let image = UIGraphicsImageRenderer(size: SamplePaths.size).image { _ in path.fill() }
    let bitmap = try #require(image.cgImage?.bitmap)
    let (inside, compared) = Self.compare(bitmap, seed: UInt64(index)) { path.contains($0) }
    #expect(inside == [])
    #expect(compared > 5_000)
  }

  @Test(arguments: SamplePaths.indices.prefix(24))
  func outlineOfAStrokeAgreesWithTheRenderedStroke(index: Int) throws {
    let path = SamplePaths[index]
    path.lineWidth = max(path.lineWidth, 6)
    let image = UIGraphicsImageRenderer(size: SamplePaths.size).image { _ in path.stroke() }
    let bitmap = try #require(image.cgImage?.bitmap)
    var dashed = path.cgPath
    if !path.dash.lengths.isEmpty { dashed = dashed.copy(dashingWithPhase: path.dash.phase, lengths: path.dash.lengths) }
    let outline = dashed.copy(
      strokingWithWidth: path.lineWidth, lineCap: path.lineCapStyle, lineJoin: path.lineJoinStyle, miterLimit: path.miterLimit)
    // Flattening an outline of many polygons takes its time: fewer points.
    let (wrong, _) = Self.compare(bitmap, seed: UInt64(index), points: 300) { outline.contains($0) }
    #expect(wrong == [])
  }

  /// The points at which an image and a test of points disagree, and how many were compared.
  private static func compare(
    _ bitmap: Bitmap, seed: UInt64, points: Int = 10_000, contains: (CGPoint) -> Bool
  ) -> (wrong: [CGPoint], compared: Int) {
    var random = SeededRandom(seed: seed)
    var (wrong, compared) = ([CGPoint](), 0)
    for _ in 0..<points {
      let point = CGPoint(x: CGFloat.random(in: 1..<199, using: &random), y: CGFloat.random(in: 1..<199, using: &random))
      let (x, y) = (Int(point.x), Int(point.y))
      let alphas = Set((y - 1...y + 1).flatMap { y in (x - 1...x + 1).map { bitmap.pixels[y * bitmap.width + $0] >> 24 } })
      guard alphas == [0] || alphas == [255] else { continue }
      compared += 1
      if contains(point) != (alphas == [255]) { wrong.append(point) }
    }
    return (wrong, compared)
  }
}
