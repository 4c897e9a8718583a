import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// Cells and decoration views that draw a color, through `draw(_:)`.
private class ColorCell: UICollectionViewCell {
  var color = UIColor.red
  override func draw(_ rect: CGRect) {
    color.setFill()
    UIBezierPath(rect: CGRect(x: -1000, y: -1000, width: 2000, height: 2000)).fill()
  }
}

private class ColorDecoration: UICollectionReusableView {
  override func draw(_ rect: CGRect) {
    UIColor.yellow.setFill()
    UIBezierPath(rect: rect).fill()
  }
}

/// A layout of given attributes.
private class GivenLayout: UICollectionViewLayout {
  var given: [UICollectionViewLayoutAttributes] = []
  override var collectionViewContentSize: CGSize { CGSize(width: 100, height: 100) }
  override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { given }
}

@MainActor private final class ColorSource: Source {
  let colors: [UIColor] = [.red, .green, .blue]
  override func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
    let cell = super.collectionView(collectionView, cellForItemAt: indexPath)
    (cell as? ColorCell)?.color = colors[indexPath.item % 3]
    return cell
  }
}

@MainActor @Suite struct DrawingTests {
  private func item(_ number: Int, _ frame: CGRect, _ change: (UICollectionViewLayoutAttributes) -> Void = { _ in })
    -> UICollectionViewLayoutAttributes
  {
    let attributes = UICollectionViewLayoutAttributes(forCellWith: .item(number))
    attributes.frame = frame
    change(attributes)
    return attributes
  }

  /// The color of points of a drawing of 100 by 100 points, as letters: r, g, b, y, w, others by their numbers.
  private func draw(_ view: UIView, at points: [(Int, Int)]) -> [String] {
    let image = UIGraphicsImageRenderer(bounds: CGRect(x: 0, y: 0, width: 100, height: 100)).image { _ in
      view.drawHierarchy(in: CGRect(x: 0, y: 0, width: 100, height: 100), afterScreenUpdates: true)
    }
    return points.map { point in
      guard let color = image.colorOfPixel(x: point.0, y: point.1) else { return "none" }
      var parts: (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
      color.getRed(&parts.0, green: &parts.1, blue: &parts.2, alpha: &parts.3)
      let bytes = [parts.0, parts.1, parts.2, parts.3].map { Int(($0 * 255).rounded()) }
      let names: [[Int]: String] = [
        [255, 0, 0, 255]: "r", [0, 255, 0, 255]: "g", [0, 0, 255, 255]: "b", [255, 255, 0, 255]: "y", [255, 255, 255, 255]: "w",
      ]
      return names[bytes] ?? "\(bytes)"
    }
  }

  private func view(_ given: [UICollectionViewLayoutAttributes], _ source: ColorSource) -> UICollectionView {
    let layout = GivenLayout()
    layout.given = given
    layout.register(ColorDecoration.self, forDecorationViewOfKind: "yellow")
    let view = UICollectionView(frame: CGRect(x: 0, y: 0, width: 100, height: 100), collectionViewLayout: layout)
    view.register(ColorCell.self, forCellWithReuseIdentifier: "cell")
    view.dataSource = source
    view.backgroundColor = .white
    return view
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func laterAndHigherElementsLieInFront() {
    let source = ColorSource([3])
    let lower = view([item(0, CGRect(0, 0, 50, 50)), item(1, CGRect(25, 25, 50, 50)), item(2, CGRect(40, 40, 50, 50))], source)
    #expect(draw(lower, at: [(10, 10), (30, 30), (45, 45), (85, 85), (95, 95)]) == ["r", "g", "b", "b", "w"])
    let raised = view(
      [
        item(0, CGRect(0, 0, 50, 50)) { $0.zIndex = 5 }, item(1, CGRect(25, 25, 50, 50)),
        item(2, CGRect(40, 40, 50, 50)) { $0.zIndex = -1 },
      ],
      source)
    #expect(draw(raised, at: [(30, 30), (45, 45), (60, 60), (85, 85)]) == ["r", "r", "g", "b"])
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func decorationLiesBehindByItsIndex() {
    let decoration = UICollectionViewLayoutAttributes(forDecorationViewOfKind: "yellow", with: .item(0))
    decoration.frame = CGRect(0, 0, 100, 60)
    decoration.zIndex = -1
    let source = ColorSource([3])
    let shown = view([item(0, CGRect(0, 0, 50, 50)), decoration], source)
    #expect(draw(shown, at: [(10, 10), (70, 10), (70, 70)]) == ["r", "y", "w"])
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func opacityTransformAndHiding() {
    let source = ColorSource([3])
    let shown = view(
      [
        item(0, CGRect(0, 0, 20, 20)) { $0.alpha = 0.5 },
        item(1, CGRect(40, 40, 20, 20)) { $0.transform = CGAffineTransform(scaleX: 2, y: 0.5) },
        item(2, CGRect(80, 80, 20, 20)) { $0.isHidden = true },
      ], source)
    let found = draw(shown, at: [(32, 50), (67, 50), (50, 42), (90, 90)])
    #expect(found == ["g", "g", "w", "w"])
    let half = draw(shown, at: [(10, 10)])
    #expect(half == ["[255, 128, 128, 255]"] || half == ["[255, 127, 127, 255]"])
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func collectionClipsAndFollowsItsOffset() {
    let source = ColorSource([3])
    let shown = view([item(0, CGRect(0, 0, 200, 200)), item(1, CGRect(0, 40, 50, 50))], source)
    let container = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    container.backgroundColor = .blue
    shown.frame = CGRect(x: 50, y: 50, width: 40, height: 40)
    shown.contentOffset = CGPoint(x: 0, y: 20)
    container.addSubview(shown)
    #expect(draw(container, at: [(49, 60), (55, 55), (55, 75), (95, 75), (55, 95)]) == ["b", "r", "g", "b", "b"])
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func labelDrawsItsText() {
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    label.backgroundColor = .white
    label.text = "■■■■■■■■■■"
    label.font = .systemFont(ofSize: 20)
    let all = (0..<100).flatMap { x in (40..<60).map { (x, $0) } }
    #expect(Set(draw(label, at: all)) != ["w"])
    #expect(label.sizeThatFits(.zero).height >= 20)
    label.text = nil
    #expect(Set(draw(label, at: all)) == ["w"])
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable))
  func imageViewFitsItsImage() {
    let square = UIGraphicsImageRenderer(size: CGSize(width: 10, height: 10)).image { context in
      UIColor.red.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    }
    let view = UIImageView(image: square)
    #expect(view.frame.size == CGSize(width: 10, height: 10))
    view.frame = CGRect(x: 0, y: 0, width: 100, height: 50)
    view.backgroundColor = .white
    view.contentMode = .scaleAspectFit
    view.clipsToBounds = true
    let container = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    container.addSubview(view)
    #expect(draw(container, at: [(10, 25), (50, 25), (90, 25)]) == ["w", "r", "w"])
    view.contentMode = .right
    #expect(draw(container, at: [(50, 25), (95, 25)]) == ["w", "r"])
  }

  @Test func viewsWithoutASizeOrAContextDrawNothing() {
    let view = UIView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
    #expect(!view.drawHierarchy(in: view.bounds, afterScreenUpdates: true))
    view.frame = CGRect(x: CGFloat.nan, y: 0, width: .infinity, height: 1)
    #expect(!view.drawHierarchy(in: CGRect(x: 0, y: 0, width: 1, height: 1), afterScreenUpdates: true))
  }
}
