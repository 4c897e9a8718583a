import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// A custom layout's source, as documents and tutorials for UIKit have it, compiles and shows what it says.
@MainActor @Suite struct ListingTests {
  @Test func cellsHeaderAndDecorationAreShown() throws {
    let controller = DotsController()
    let view = controller.collectionView
    let rounded = view.visibleCells.map { CGPoint(x: $0.center.x.rounded(), y: $0.center.y.rounded()) }
    #expect(rounded == [(180, 100), (100, 180), (20, 100), (100, 20)].map { CGPoint(x: $0.0, y: $0.1) })
    #expect(view.visibleCells.map(\.tag) == [1, 2, 3, 4])
    let angle = try #require((view.cellForItem(at: IndexPath(item: 1, section: 0)) as? DotCell)?.angle)
    #expect(abs(angle - .pi / 2) < 1e-9)
    let header = try #require(view.visibleSupplementaryViews(ofKind: UICollectionView.elementKindSectionHeader).first as? TitleView)
    #expect(header.label.text == "4 dots" && header.label.frame == CGRect(x: 0, y: 0, width: 200, height: 10))
    #expect(view.subviews.first is PlateView && view.subviews.count == 6)
  }

  @Test func insertionComesFromTheMiddle() throws {
    let controller = DotsController()
    let view = controller.collectionView
    view.layoutIfNeeded()
    var finished = false
    controller.dots.remove(at: 0)
    view.performBatchUpdates(
      {
        view.deleteItems(at: [IndexPath(item: 0, section: 0)])
        controller.dots.append(contentsOf: [5, 6])
        view.insertItems(at: [IndexPath(item: 3, section: 0), IndexPath(item: 4, section: 0)])
      }, completion: { finished = $0 })
    #expect(finished)
    #expect(view.visibleCells.map(\.tag) == [2, 3, 4, 5, 6])
    let cell = try #require(view.cellForItem(at: IndexPath(item: 4, section: 0)) as? DotCell)
    let start = try #require(cell.starts.dropLast().last)
    #expect(start.0 == 0 && start.1 == CGPoint(x: 100, y: 100) && cell.alpha == 1)
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable)) func drawingShowsDotsOnThePlate() {
    let controller = DotsController()
    let view = controller.collectionView
    let image = UIGraphicsImageRenderer(bounds: view.bounds).image { _ in
      view.drawHierarchy(in: view.bounds, afterScreenUpdates: true)
    }
    let red = [180, 20].allSatisfy { image.colorOfPixel(x: $0, y: 100)?.cgColor == UIColor.red.cgColor }
    #expect(red && image.colorOfPixel(x: 100, y: 100)?.cgColor == UIColor.yellow.cgColor)
  }
}
