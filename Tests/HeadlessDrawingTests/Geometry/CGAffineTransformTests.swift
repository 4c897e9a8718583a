import Foundation
import Testing

@testable import HeadlessDrawing

struct CGAffineTransformTests {
  @Test func operationsOnATransformComeBeforeIt() {
    let transform = CGAffineTransform(translationX: 10, y: 20).scaledBy(x: 2, y: 3)
    #expect(CGPoint(x: 1, y: 1).applying(transform) == CGPoint(x: 12, y: 23))
    let other = CGAffineTransform(scaleX: 2, y: 3).translatedBy(x: 10, y: 20)
    #expect(CGPoint(x: 1, y: 1).applying(other) == CGPoint(x: 22, y: 63))
  }

  @Test func concatenatingAppliesTheReceiverFirst() {
    let transform = CGAffineTransform(scaleX: 2, y: 2).concatenating(CGAffineTransform(translationX: 1, y: 0))
    #expect(CGPoint(x: 3, y: 4).applying(transform) == CGPoint(x: 7, y: 8))
  }

  @Test func rotationTurnsTheXAxisTowardsTheYAxis() {
    let point = CGPoint(x: 1, y: 0).applying(CGAffineTransform(rotationAngle: .pi / 2))
    #expect(abs(point.x) < 1e-12 && abs(point.y - 1) < 1e-12)
    let turned = CGAffineTransform.identity.rotated(by: .pi / 2)
    #expect(turned == CGAffineTransform(rotationAngle: .pi / 2))
  }

  @Test func inverseUndoes() throws {
    let transform = CGAffineTransform(rotationAngle: 0.7).translatedBy(x: 5, y: -3).scaledBy(x: 2, y: 0.5)
    let point = CGPoint(x: 12, y: -7)
    let back = point.applying(transform).applying(transform.inverted())
    #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
  }

  @Test func transformWithoutInverseIsItsOwn() {
    let singular = CGAffineTransform(scaleX: 0, y: 1)
    #expect(singular.inverted() == singular)
    #expect(singular.inverse == nil)
    #expect(CGAffineTransform(scaleX: .nan, y: 1).inverse == nil)
    #expect(CGAffineTransform(scaleX: .infinity, y: 1).inverse == nil)
  }

  @Test func defaultInitializerIsZeroAndIdentityIsKnown() {
    #expect(CGAffineTransform() == CGAffineTransform(0, 0, 0, 0, 0, 0))
    #expect(!CGAffineTransform().isIdentity)
    #expect(CGAffineTransform.identity.isIdentity)
  }

  @Test func sizeIgnoresTranslation() {
    let transform = CGAffineTransform(translationX: 100, y: 100).scaledBy(x: 2, y: -1)
    #expect(CGSize(width: 3, height: 4).applying(transform) == CGSize(width: 6, height: -4))
  }

  @Test func rectangleBecomesTheBoxOfItsCorners() {
    let rect = CGRect(x: 1, y: 2, width: 3, height: 4).applying(CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0))
    #expect(rect == CGRect(x: -6, y: 1, width: 4, height: 3))
    #expect(CGRect.null.applying(CGAffineTransform(scaleX: 2, y: 2)).isNull)
    #expect(CGRect.infinite.applying(CGAffineTransform(scaleX: 2, y: 2)) == .infinite)
  }

  @Test func uniformScaleIsKnownUnderRotationAndReflection() throws {
    #expect(abs(try #require(CGAffineTransform(rotationAngle: 1).scaledBy(x: 3, y: 3).uniformScale) - 3) < 1e-12)
    #expect(CGAffineTransform(scaleX: 2, y: -2).uniformScale == 2)
    #expect(CGAffineTransform(scaleX: 2, y: 3).uniformScale == nil)
  }

  @Test func insetsMoveTheEdges() {
    let rect = CGRect(x: 0, y: 0, width: 100, height: 50).inset(by: UIEdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
    #expect(rect == CGRect(x: 2, y: 1, width: 94, height: 46))
    #expect(UIEdgeInsets() == .zero)
  }

  @Test func transformSurvivesCoding() throws {
    let transform = CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
    #expect(try JSONDecoder().decode(CGAffineTransform.self, from: JSONEncoder().encode(transform)) == transform)
  }

  /// What an app on Apple's platforms has written can be read here, and the other way round.
  @Test func valuesAreCodedAsListsOfNumbers() throws {
    func check<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
      #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
      #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
    }
    try check(CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6), "[1,2,3,4,5,6]")
    try check(CGVector(dx: 1, dy: 2), "[1,2]")
    try check(UIEdgeInsets(top: 1, left: 2, bottom: 3, right: 4), "[1,2,3,4]")
  }
}
