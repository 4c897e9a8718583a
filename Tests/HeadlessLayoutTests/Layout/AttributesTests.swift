import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// Attributes with a property of their own, as the documents have it.
final class AngledAttributes: UICollectionViewLayoutAttributes {
  nonisolated(unsafe) var angle: CGFloat = 0

  override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    (copy as? AngledAttributes)?.angle = angle
    return copy
  }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? AngledAttributes)?.angle == angle && super.isEqual(object)
  }
}

@MainActor @Suite struct AttributesTests {
  @Test func frameCenterAndSizeAgree() {
    let attributes = UICollectionViewLayoutAttributes(forCellWith: .item(0))
    attributes.frame = CGRect(10, 20, 30, 40)
    #expect(attributes.center == CGPoint(x: 25, y: 40))
    #expect(attributes.size == CGSize(width: 30, height: 40))
    attributes.size = CGSize(width: 10, height: 10)
    #expect(attributes.center == CGPoint(x: 25, y: 40))
    #expect(attributes.frame == CGRect(20, 35, 10, 10))
    attributes.center = .zero
    #expect(attributes.frame == CGRect(-5, -5, 10, 10))
    attributes.bounds = CGRect(3, 3, 20, 2)
    #expect(attributes.size == CGSize(width: 20, height: 2))
    #expect(attributes.frame == CGRect(-10, -1, 20, 2))
  }

  @Test func transformChangesTheFrameOnly() {
    let attributes = UICollectionViewLayoutAttributes(forCellWith: .item(0))
    attributes.frame = CGRect(0, 0, 20, 10)
    attributes.transform = CGAffineTransform(scaleX: 2, y: 4)
    #expect(attributes.frame == CGRect(-10, -15, 40, 40))
    #expect(attributes.size == CGSize(width: 20, height: 10))
    #expect(attributes.center == CGPoint(x: 10, y: 5))
  }

  @Test func initializersNameTheElement() {
    let cell = UICollectionViewLayoutAttributes(forCellWith: .item(1, 2))
    #expect(cell.representedElementCategory == .cell && cell.representedElementKind == nil && cell.indexPath == .item(1, 2))
    let header = UICollectionViewLayoutAttributes(forSupplementaryViewOfKind: "head", with: .item(0))
    #expect(header.representedElementCategory == .supplementaryView && header.representedElementKind == "head")
    let line = UICollectionViewLayoutAttributes(forDecorationViewOfKind: "line", with: .item(0))
    #expect(line.representedElementCategory == .decorationView && line.representedElementKind == "line")
    #expect(cell.alpha == 1 && cell.zIndex == 0 && !cell.isHidden && cell.transform == .identity)
  }

  @Test func copiesAreEqualUntilTheyChange() throws {
    let first = AngledAttributes(forCellWith: .item(0))
    first.angle = 2
    first.frame = CGRect(1, 2, 3, 4)
    let second = try #require(first.copy() as? AngledAttributes)
    #expect(second !== first && second.isEqual(first) && second.angle == 2 && second.hash == first.hash)
    second.angle = 3
    #expect(!second.isEqual(first))
    second.angle = 2
    second.alpha = 0.5
    #expect(!second.isEqual(first))
    #expect(!UICollectionViewLayoutAttributes(forCellWith: .item(0)).isEqual(nil))
  }

  @Test func indexPathsHaveItemsAndSections() {
    var path = IndexPath(item: 3, section: 2)
    #expect(path.item == 3 && path.row == 3 && path.section == 2 && path == IndexPath(row: 3, section: 2))
    path.item = 5
    path.section = 1
    #expect(path == [1, 5])
    #expect(IndexPath().section == NSNotFound && IndexPath(indexes: [1]).item == NSNotFound)
  }
}
