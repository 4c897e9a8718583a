import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

@MainActor @Suite struct ViewTests {
  @Test func frameBoundsAndCenterAgree() {
    let view = UIView(frame: CGRect(10, 20, 30, 40))
    #expect(view.bounds == CGRect(0, 0, 30, 40) && view.center == CGPoint(x: 25, y: 40))
    view.bounds = CGRect(5, 5, 10, 10)
    #expect(view.frame == CGRect(20, 35, 10, 10))
    view.center = CGPoint(x: 5, y: 5)
    #expect(view.frame == CGRect(0, 0, 10, 10))
    view.transform = CGAffineTransform(scaleX: 2, y: 2)
    #expect(view.frame == CGRect(-5, -5, 20, 20) && UIView().frame == .zero)
  }

  @Test func subviewsHaveAnOrderAndOneSuperview() {
    let (first, second, third, root, other) = (UIView(), UIView(), UIView(), UIView(), UIView())
    root.addSubview(first)
    root.addSubview(third)
    root.insertSubview(second, belowSubview: third)
    #expect(root.subviews == [first, second, third])
    root.bringSubviewToFront(first)
    root.sendSubviewToBack(third)
    #expect(root.subviews == [third, second, first])
    root.insertSubview(third, aboveSubview: first)
    root.insertSubview(first, at: -5)
    #expect(root.subviews == [first, second, third])
    other.addSubview(second)
    #expect(root.subviews == [first, third] && second.superview === other)
    first.addSubview(root)
    #expect(root.superview == nil && first.superview === root && first.isDescendant(of: root))
    first.tag = 7
    #expect(root.viewWithTag(7) === first && root.viewWithTag(8) == nil)
    first.removeFromSuperview()
    #expect(first.superview == nil && root.subviews == [third])
  }

  @Test func layoutRunsWhereItIsAskedFor() {
    final class Counting: UIView {
      var layouts = 0
      override func layoutSubviews() {
        super.layoutSubviews()
        layouts += 1
      }
    }
    let (outer, inner) = (Counting(), Counting())
    outer.addSubview(inner)
    outer.layoutIfNeeded()
    outer.layoutIfNeeded()
    #expect(outer.layouts == 1 && inner.layouts == 1)
    inner.frame.size.width = 10
    outer.layoutIfNeeded()
    #expect(outer.layouts == 1 && inner.layouts == 2)
  }

  @Test func masksFollowTheSuperview() {
    let (outer, inner) = (UIView(frame: CGRect(0, 0, 100, 100)), UIView(frame: CGRect(10, 20, 80, 30)))
    inner.autoresizingMask = [.flexibleWidth, .flexibleTopMargin]
    outer.addSubview(inner)
    outer.frame.size = CGSize(width: 200, height: 150)
    #expect(inner.frame == CGRect(10, 70, 180, 30))
  }

  @Test func cellFillsItselfWithItsContentAndBackgrounds() {
    let cell = UICollectionViewCell(frame: CGRect(0, 0, 10, 10))
    let (background, selected) = (UIView(), UIView())
    cell.backgroundView = background
    cell.selectedBackgroundView = selected
    cell.frame = CGRect(5, 5, 50, 60)
    cell.layoutIfNeeded()
    #expect([cell.contentView, background, selected].allSatisfy { $0.frame == CGRect(0, 0, 50, 60) })
    #expect(cell.subviews == [background, selected, cell.contentView] && selected.isHidden)
    cell.isSelected = true
    cell.setNeedsLayout()
    cell.layoutIfNeeded()
    #expect(!selected.isHidden)
    cell.backgroundView = nil
    #expect(background.superview == nil)
  }

  @Test func scrollViewScrollsToRectangles() {
    let view = UIScrollView(frame: CGRect(0, 0, 100, 100))
    view.contentSize = CGSize(width: 100, height: 500)
    view.scrollRectToVisible(CGRect(0, 200, 10, 10), animated: false)
    #expect(view.contentOffset == CGPoint(x: 0, y: 110))
    view.scrollRectToVisible(CGRect(0, 490, 10, 100), animated: false)
    #expect(view.contentOffset == CGPoint(x: 0, y: 400))
    view.contentOffset = .zero
    view.contentInset = UIEdgeInsets(top: 10, left: 0, bottom: 0, right: 0)
    #expect(view.contentOffset == CGPoint(x: 0, y: -10) && view.bounds.origin.y == -10)
  }
}
