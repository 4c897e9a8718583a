import Foundation
import Testing

@testable import HeadlessDrawing

struct CGPathTests {
  @Test func elementsComeInOrder() {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 1))
    path.addLine(to: CGPoint(x: 2, y: 2))
    path.addQuadCurve(to: CGPoint(x: 4, y: 4), control: CGPoint(x: 3, y: 3))
    path.addCurve(to: CGPoint(x: 7, y: 7), control1: CGPoint(x: 5, y: 5), control2: CGPoint(x: 6, y: 6))
    path.closeSubpath()
    var types: [CGPathElementType] = []
    var points: [CGFloat] = []
    path.applyWithBlock { element in
      types.append(element.pointee.type)
      let counts: [CGPathElementType: Int] = [.moveToPoint: 1, .addLineToPoint: 1, .addQuadCurveToPoint: 2, .addCurveToPoint: 3]
      for index in 0..<(counts[element.pointee.type] ?? 0) { points.append(element.pointee.points[index].x) }
    }
    #expect(types == [.moveToPoint, .addLineToPoint, .addQuadCurveToPoint, .addCurveToPoint, .closeSubpath])
    #expect(points == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func transformsApplyToWhatIsAdded() {
    let shift = CGAffineTransform(translationX: 100, y: 0)
    let path = CGMutablePath()
    path.addRect(CGRect(x: 0, y: 0, width: 10, height: 10), transform: shift)
    path.addEllipse(in: CGRect(x: 0, y: 20, width: 10, height: 10), transform: shift)
    path.addRoundedRect(in: CGRect(x: 0, y: 40, width: 10, height: 10), cornerWidth: 3, cornerHeight: 90, transform: shift)
    path.addLines(between: [CGPoint(x: 0, y: 60), CGPoint(x: 10, y: 70)], transform: shift)
    path.addArc(center: CGPoint(x: 5, y: 85), radius: 5, startAngle: 0, endAngle: .pi, clockwise: false, transform: shift)
    path.addPath(CGPath(rect: CGRect(x: 0, y: 90, width: 10, height: 10), transform: nil), transform: shift)
    let box = path.boundingBoxOfPath
    #expect(abs(box.minX - 100) < 1e-9 && abs(box.maxX - 110) < 1e-9 && box.minY == 0 && box.maxY == 100)
  }

  @Test func initializersTakeATransform() {
    var shift = CGAffineTransform(translationX: 5, y: 6)
    let rect = CGRect(x: 0, y: 0, width: 20, height: 10)
    #expect(CGPath(rect: rect, transform: &shift).boundingBox == rect.offsetBy(dx: 5, dy: 6))
    #expect(CGPath(ellipseIn: rect, transform: &shift).boundingBoxOfPath == rect.offsetBy(dx: 5, dy: 6))
    #expect(CGPath(roundedRect: rect, cornerWidth: 50, cornerHeight: 50, transform: nil).boundingBoxOfPath == rect)
    #expect(CGPath(rect: rect, transform: nil).copy(using: &shift)?.boundingBox == rect.offsetBy(dx: 5, dy: 6))
    #expect(CGPath(rect: rect, transform: nil).mutableCopy(using: &shift)?.currentPoint == CGPoint(x: 5, y: 6))
  }

  @Test func copiesDoNotChangeWithTheOriginal() {
    let path = CGMutablePath()
    path.move(to: .zero)
    let copy = path.copy()
    let other = path.mutableCopy()
    path.addLine(to: CGPoint(x: 1, y: 1))
    #expect(copy == other)
    #expect(copy != path)
    #expect(Set([path, path, CGPath(rect: .zero, transform: nil)]).count == 2)
  }

  @Test func boundingBoxOfMovesAloneIsNull() {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 1))
    #expect(!path.isEmpty)
    #expect(path.boundingBox.isNull && path.boundingBoxOfPath.isNull)
    path.addRect(CGRect(x: 5, y: 5, width: 1, height: 1))
    path.move(to: CGPoint(x: 100, y: 100))
    #expect(path.boundingBox == CGRect(x: 5, y: 5, width: 1, height: 1))
    #expect(path.currentPoint == CGPoint(x: 100, y: 100))
  }

  @Test func containsTransformsThePoint() {
    let path = CGPath(rect: CGRect(x: 100, y: 100, width: 10, height: 10), transform: nil)
    #expect(path.contains(CGPoint(x: 5, y: 5), transform: CGAffineTransform(translationX: 100, y: 100)))
    #expect(!path.contains(CGPoint(x: 5, y: 5)))
  }

  @Test func onlyRectanglesAreRectangles() {
    #expect(!CGPath(ellipseIn: CGRect(x: 0, y: 0, width: 1, height: 1), transform: nil).isRect(nil))
    var turned = CGAffineTransform(rotationAngle: 0.1)
    #expect(!CGPath(rect: CGRect(x: 0, y: 0, width: 1, height: 1), transform: &turned).isRect(nil))
    #expect(!CGMutablePath().isRect(nil))
  }

  @Test func dashesHaveTheirLengths() {
    let path = CGMutablePath()
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: 20, y: 0))
    let dashed = path.copy(dashingWithPhase: 1, lengths: [4, 2])
    #expect(dashed.data.subpaths.map(\.start.x) == [0, 5, 11, 17])
    #expect(dashed.data.subpaths.compactMap(\.segments.last?.end?.x) == [3, 9, 15, 20])
    #expect(path.copy(dashingWithPhase: 0, lengths: []) == path)
    #expect(path.copy(dashingWithPhase: 0, lengths: [0, 0]) == path)
    #expect(path.copy(dashingWithPhase: 0, lengths: [-1, 1]) == path)
    #expect(path.copy(dashingWithPhase: -2, lengths: [4, 2]).data.subpaths.map(\.start.x) == [2, 8, 14])
  }

  @Test func strokeOutlineCoversTheLine() {
    let path = CGMutablePath()
    path.addLines(between: [CGPoint(x: 0, y: 0), CGPoint(x: 100, y: 0)])
    let butt = path.copy(strokingWithWidth: 10, lineCap: .butt, lineJoin: .miter, miterLimit: 10)
    #expect(butt.boundingBoxOfPath == CGRect(x: 0, y: -5, width: 100, height: 10))
    let square = path.copy(strokingWithWidth: 10, lineCap: .square, lineJoin: .miter, miterLimit: 10)
    #expect(square.boundingBoxOfPath == CGRect(x: -5, y: -5, width: 110, height: 10))
    #expect(path.copy(strokingWithWidth: 0, lineCap: .round, lineJoin: .round, miterLimit: 1).isEmpty)
    #expect(path.copy(strokingWithWidth: .nan, lineCap: .round, lineJoin: .round, miterLimit: 1).isEmpty)
  }

  @Test func miterIsCutAtItsLimit() {
    let path = CGMutablePath()
    path.addLines(between: [CGPoint(x: 0, y: 10), CGPoint(x: 50, y: 0), CGPoint(x: 0, y: -10)])
    let sharp = path.copy(strokingWithWidth: 4, lineCap: .butt, lineJoin: .miter, miterLimit: 10)
    let cut = path.copy(strokingWithWidth: 4, lineCap: .butt, lineJoin: .miter, miterLimit: 2)
    #expect(sharp.boundingBox.maxX > 60 && cut.boundingBox.maxX < 51)
  }

  @Test func flatteningLeavesLinesOnly() {
    let flat = CGPath(ellipseIn: CGRect(x: 0, y: 0, width: 100, height: 100), transform: nil).flattened(threshold: 0.1)
    #expect(flat.data.segments.allSatisfy { if case .curve = $0 { false } else { true } })
    #expect(flat.data.segments.count > 20 && flat.data.segments.count < 200)
  }
}
