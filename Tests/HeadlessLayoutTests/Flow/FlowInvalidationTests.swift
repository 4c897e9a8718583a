import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

@MainActor @Suite struct FlowInvalidationTests {
  private let layout = UICollectionViewFlowLayout()
  private let source = Source([4, 4])

  private func shown(_ height: CGFloat = 100) -> UICollectionView {
    layout.itemSize = CGSize(width: 100, height: 40)
    layout.headerReferenceSize = CGSize(width: 0, height: 20)
    return UICollectionView.noting(CGSize(width: 100, height: height), layout, source)
  }

  private func header(_ view: UICollectionView, _ section: Int) -> UICollectionViewLayoutAttributes? {
    view.layoutAttributesForSupplementaryElement(ofKind: UICollectionView.elementKindSectionHeader, at: .item(0, section))
  }

  @Test(
    arguments: [
      (0, 0, 210), (50, 50, 210), (180, 180, 210), (200, 190, 210), (230, 190, 230),
    ] as [(CGFloat, CGFloat, CGFloat)]
  ) func pinnedHeadersStayWhileTheirSectionDoes(_ offset: CGFloat, _ first: CGFloat, _ second: CGFloat) {
    layout.sectionHeadersPinToVisibleBounds = true
    let view = shown()
    view.layoutIfNeeded()
    view.contentOffset.y = offset
    view.layoutIfNeeded()
    #expect(header(view, 0)?.frame.minY == first && header(view, 1)?.frame.minY == second)
    #expect(header(view, 0)?.zIndex == 10)
  }

  @Test func pinnedFootersStayAtTheLowerEdge() {
    layout.sectionFootersPinToVisibleBounds = true
    layout.footerReferenceSize = CGSize(width: 0, height: 20)
    let view = shown()
    view.layoutIfNeeded()
    let footer = { view.layoutAttributesForSupplementaryElement(ofKind: UICollectionView.elementKindSectionFooter, at: .item(0, 0)) }
    #expect(footer()?.frame.minY == 80)
    view.contentOffset.y = 300
    #expect(footer()?.frame.minY == 210)
    view.contentOffset.y = -200
    #expect(footer()?.frame.minY == 20)
  }

  @Test func pinnedHeaderIsShownInFront() {
    layout.sectionHeadersPinToVisibleBounds = true
    let view = shown()
    view.contentOffset.y = 60
    let pinned = view.visibleSupplementaryViews(ofKind: UICollectionView.elementKindSectionHeader).first
    #expect(pinned?.frame == CGRect(0, 60, 100, 20) && view.subviews.last === pinned)
  }

  @Test func boundsChangeInvalidatesByWidthOnly() throws {
    let view = shown()
    view.layoutIfNeeded()
    #expect(!layout.shouldInvalidateLayout(forBoundsChange: CGRect(0, 50, 100, 300)))
    #expect(layout.shouldInvalidateLayout(forBoundsChange: CGRect(0, 0, 210, 100)))
    view.frame = CGRect(0, 0, 210, 100)
    #expect(view.layoutAttributesForItem(at: .item(1))?.frame == CGRect(110, 20, 100, 40))
    layout.sectionHeadersPinToVisibleBounds = true
    #expect(layout.shouldInvalidateLayout(forBoundsChange: CGRect(0, 50, 210, 100)))
    view.layoutIfNeeded()
    let made = layout.invalidationContext(forBoundsChange: CGRect(0, 50, 210, 100))
    let context = try #require(made as? UICollectionViewFlowLayoutInvalidationContext)
    #expect(!context.invalidateFlowLayoutDelegateMetrics && !context.invalidateFlowLayoutAttributes)
    #expect(context.invalidatedSupplementaryIndexPaths == [UICollectionView.elementKindSectionHeader: [.item(0, 0), .item(0, 1)]])
  }

  @Test func settingsInvalidate() {
    let view = shown()
    view.layoutIfNeeded()
    layout.minimumLineSpacing = 0
    #expect(view.layoutAttributesForItem(at: .item(1))?.frame.minY == 60)
    layout.scrollDirection = .horizontal
    #expect(view.layoutAttributesForItem(at: .item(1))?.frame == CGRect(0, 60, 100, 40))
    view.contentInset.top = 10
    #expect(view.layoutAttributesForItem(at: .item(1))?.frame == CGRect(0, 50, 100, 40))
  }

  @Test func contextDecidesWhetherTheDelegateIsAsked() {
    final class Counting: Source, UICollectionViewDelegateFlowLayout {
      var questions = 0
      func collectionView(
        _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout, sizeForItemAt indexPath: IndexPath
      ) -> CGSize {
        questions += 1
        return CGSize(width: 40, height: 40)
      }
    }
    let source = Counting([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), layout, source)
    view.delegate = source
    view.layoutIfNeeded()
    #expect(source.questions == 3)
    let context = UICollectionViewFlowLayoutInvalidationContext()
    context.invalidateFlowLayoutDelegateMetrics = false
    layout.invalidateLayout(with: context)
    view.layoutIfNeeded()
    #expect(source.questions == 3)
    layout.invalidateLayout()
    view.layoutIfNeeded()
    #expect(source.questions == 6)
  }

  @Test(arguments: [UICollectionViewFlowLayout.automaticSize, CGSize(width: 100, height: 10)])
  func cellsSizeThemselves(_ estimate: CGSize) {
    final class Sizing: UICollectionViewCell {
      override func preferredLayoutAttributesFitting(
        _ layoutAttributes: UICollectionViewLayoutAttributes
      ) -> UICollectionViewLayoutAttributes {
        let attributes = super.preferredLayoutAttributesFitting(layoutAttributes)
        attributes.size = CGSize(width: 100, height: CGFloat(10 * (layoutAttributes.indexPath.item + 1)))
        return attributes
      }
    }
    source.counts = [3]
    layout.estimatedItemSize = estimate
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), layout, source)
    view.register(Sizing.self, forCellWithReuseIdentifier: "cell")
    view.layoutIfNeeded()
    #expect(view.visibleCells.map(\.frame) == [CGRect(0, 0, 100, 10), CGRect(0, 20, 100, 20), CGRect(0, 50, 100, 30)])
    #expect(view.contentSize.height == 80)
  }

  @Test func onlyItemThatSizesItselfIsCentered() {
    source.counts = [1]
    layout.estimatedItemSize = CGSize(width: 40, height: 40)
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), layout, source)
    #expect(view.layoutAttributesForItem(at: .item(0))?.frame == CGRect(30, 0, 40, 40))
    source.counts = [2]
    view.reloadData()
    #expect(view.layoutAttributesForItem(at: .item(0))?.frame == CGRect(0, 0, 40, 40))
  }
}
