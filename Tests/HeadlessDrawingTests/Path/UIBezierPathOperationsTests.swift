import Foundation
import Testing

@testable import HeadlessDrawing

struct UIBezierPathOperationsTests {
  private let triangle = UIBezierPath()

  init() {
    triangle.move(to: CGPoint(x: 10, y: 10))
    triangle.addLine(to: CGPoint(x: 90, y: 10))
    triangle.addLine(to: CGPoint(x: 50, y: 80))
  }

  @Test func openSubpathContainsLikeAClosedOne() {
    #expect(triangle.contains(CGPoint(x: 50, y: 40)))
    #expect(!triangle.contains(CGPoint(x: 12, y: 70)))
  }

  @Test func closeReturnsToTheStart() {
    triangle.close()
    #expect(triangle.currentPoint == CGPoint(x: 10, y: 10))
    triangle.addLine(to: CGPoint(x: 0, y: 0))
    #expect(triangle.data.subpaths.count == 2)
    #expect(triangle.data.subpaths[1].start == CGPoint(x: 10, y: 10))
  }

  @Test func segmentsWithoutACurrentPointAreIgnored() {
    let path = UIBezierPath()
    path.addLine(to: CGPoint(x: 1, y: 1))
    path.addQuadCurve(to: .zero, controlPoint: .zero)
    path.addCurve(to: .zero, controlPoint1: .zero, controlPoint2: .zero)
    path.close()
    #expect(path.isEmpty)
  }

  @Test func numbersThatAreNotFiniteAreIgnored() {
    for number in [CGFloat.nan, .infinity, -.infinity] {
      triangle.addLine(to: CGPoint(x: number, y: 0))
      triangle.addQuadCurve(to: .zero, controlPoint: CGPoint(x: 0, y: number))
      triangle.addCurve(to: .zero, controlPoint1: CGPoint(x: number, y: 0), controlPoint2: .zero)
      triangle.addArc(withCenter: .zero, radius: number, startAngle: 0, endAngle: 1, clockwise: true)
      triangle.addArc(withCenter: .zero, radius: 1, startAngle: number, endAngle: 1, clockwise: true)
      triangle.addArc(withCenter: .zero, radius: 1, startAngle: 0, endAngle: number, clockwise: false)
      triangle.move(to: CGPoint(x: number, y: number))
      #expect(!triangle.contains(CGPoint(x: number, y: 0)))
      #expect(UIBezierPath(rect: CGRect(x: number, y: 0, width: 1, height: 1)).isEmpty)
      #expect(UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: number, height: 1)).isEmpty)
    }
    #expect(triangle.data.segments.count == 3)
    #expect(UIBezierPath(rect: .null).isEmpty)
  }

  @Test func appendAddsAllElements() {
    let path = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 10, height: 10))
    path.append(triangle)
    #expect(path.data.subpaths.count == 2)
    #expect(path.currentPoint == CGPoint(x: 50, y: 80))
  }

  @Test func applyTransformsThePoints() {
    triangle.lineWidth = 3
    triangle.apply(CGAffineTransform(scaleX: 2, y: 2).concatenating(CGAffineTransform(translationX: 1, y: 0)))
    #expect(triangle.bounds == CGRect(x: 21, y: 20, width: 160, height: 140))
    #expect(triangle.currentPoint == CGPoint(x: 101, y: 160))
    #expect(triangle.lineWidth == 3)
  }

  @Test func removingAllPointsKeepsAttributes() {
    triangle.usesEvenOddFillRule = true
    triangle.removeAllPoints()
    #expect(triangle.isEmpty && triangle.usesEvenOddFillRule)
  }

  @Test func reversingTurnsTheDirection() {
    let reversed = triangle.reversing()
    #expect(
      reversed.data.segments == [
        .move(CGPoint(x: 50, y: 80)), .line(CGPoint(x: 90, y: 10)), .line(CGPoint(x: 10, y: 10)),
      ])
    #expect(reversed.reversing().cgPath == triangle.cgPath)
    let curve = UIBezierPath()
    curve.move(to: .zero)
    curve.addCurve(to: CGPoint(x: 3, y: 0), controlPoint1: CGPoint(x: 1, y: 1), controlPoint2: CGPoint(x: 2, y: 2))
    curve.addQuadCurve(to: CGPoint(x: 5, y: 0), controlPoint: CGPoint(x: 4, y: 1))
    #expect(curve.reversing().reversing().cgPath == curve.cgPath)
    #expect(
      curve.reversing().data.segments == [
        .move(CGPoint(x: 5, y: 0)), .quad(control: CGPoint(x: 4, y: 1), end: CGPoint(x: 3, y: 0)),
        .curve(control1: CGPoint(x: 2, y: 2), control2: CGPoint(x: 1, y: 1), end: .zero),
      ])
  }

  @Test func windingRuleSeesTheDirectionAndEvenOddRuleDoesNot() {
    let outer = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 100, height: 100))
    let inner = UIBezierPath(rect: CGRect(x: 25, y: 25, width: 50, height: 50))
    let hole = CGPoint(x: 50, y: 50)
    let same = UIBezierPath(cgPath: outer.cgPath)
    same.append(inner)
    #expect(same.contains(hole))
    same.usesEvenOddFillRule = true
    #expect(!same.contains(hole))
    let opposite = UIBezierPath(cgPath: outer.cgPath)
    opposite.append(inner.reversing())
    #expect(!opposite.contains(hole))
    opposite.usesEvenOddFillRule = true
    #expect(!opposite.contains(hole))
    #expect(opposite.contains(CGPoint(x: 10, y: 50)))
  }

  @Test func copyIsIndependent() throws {
    triangle.lineWidth = 7
    triangle.setLineDash([1, 2], count: 2, phase: 3)
    let copy = try #require(triangle.copy() as? UIBezierPath)
    triangle.removeAllPoints()
    #expect(copy.data.segments.count == 3)
    #expect(copy.lineWidth == 7)
    #expect(copy.dash.lengths == [1, 2])
  }

  @Test func subclassesCopyAsThemselves() {
    final class Named: UIBezierPath {}
    #expect(Named().copy() is Named)
    #expect(Named().reversing() is Named)
    #expect(Named(rect: CGRect(x: 0, y: 0, width: 1, height: 1)).bounds.width == 1)
  }

  @Test func dashIsReadBack() {
    let lengths: [CGFloat] = [4, 2, 1]
    triangle.setLineDash(lengths, count: 3, phase: 5)
    var (count, phase) = (0, CGFloat(0))
    triangle.getLineDash(nil, count: &count, phase: &phase)
    #expect(count == 3 && phase == 5)
    var read = [CGFloat](repeating: 0, count: count)
    triangle.getLineDash(&read, count: nil, phase: nil)
    #expect(read == lengths)
    triangle.setLineDash(nil, count: 0, phase: 0)
    triangle.getLineDash(nil, count: &count, phase: nil)
    #expect(count == 0)
  }

  @Test func coreGraphicsPathIsACopy() {
    let path = triangle.cgPath
    triangle.close()
    #expect(path != triangle.cgPath)
    triangle.cgPath = path
    #expect(path == triangle.cgPath)
  }
}
