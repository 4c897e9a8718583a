import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// A flow layout's settings and the frames that follow from them.
struct FlowCase: CustomTestStringConvertible, Sendable {
  var name: String
  var view = CGSize(width: 320, height: 480)
  var items: [CGSize]
  var spacing: CGFloat = 10
  var lines: CGFloat = 10
  var inset = UIEdgeInsets.zero
  var direction = UICollectionView.ScrollDirection.vertical
  var header = CGSize.zero
  var footer = CGSize.zero
  var content = UIEdgeInsets.zero
  var scale: CGFloat = 1
  /// The origins of the items.
  var expected: [CGPoint]
  /// The size of the content.
  var size: CGSize

  var testDescription: String { name }
}

private func same(_ count: Int, _ width: CGFloat, _ height: CGFloat) -> [CGSize] {
  Array(repeating: CGSize(width: width, height: height), count: count)
}

private func at(_ numbers: (CGFloat, CGFloat)...) -> [CGPoint] { numbers.map { CGPoint(x: $0.0, y: $0.1) } }

private func sizes(_ numbers: (CGFloat, CGFloat)...) -> [CGSize] { numbers.map { CGSize(width: $0.0, height: $0.1) } }

private func wide(_ width: CGFloat, _ height: CGFloat) -> CGSize { CGSize(width: width, height: height) }

private let cases: [FlowCase] = [
  // One size: columns.
  FlowCase(name: "no items", items: [], expected: [], size: wide(320, 0)),
  FlowCase(name: "exact line", items: same(3, 100, 50), expected: at((0, 0), (110, 0), (220, 0)), size: wide(320, 50)),
  FlowCase(name: "stretched line", items: same(3, 90, 50), expected: at((0, 0), (115, 0), (230, 0)), size: wide(320, 50)),
  FlowCase(
    name: "two lines", items: same(6, 90, 50), expected: at((0, 0), (115, 0), (230, 0), (0, 60), (115, 60), (230, 60)), size: wide(320, 110)
  ),
  FlowCase(
    name: "partial last line in columns", items: same(5, 90, 50), expected: at((0, 0), (115, 0), (230, 0), (0, 60), (115, 60)),
    size: wide(320, 110)),
  FlowCase(name: "one item where three fit", items: same(1, 90, 50), expected: at((0, 0)), size: wide(320, 50)),
  FlowCase(name: "two items where three fit", items: same(2, 90, 50), expected: at((0, 0), (115, 0)), size: wide(320, 50)),
  FlowCase(name: "one item a line is centered", items: same(2, 200, 50), expected: at((60, 0), (60, 60)), size: wide(320, 110)),
  FlowCase(name: "as wide as the line", items: same(2, 320, 50), expected: at((0, 0), (0, 60)), size: wide(320, 110)),
  FlowCase(name: "wider than the line", items: same(2, 400, 50), expected: at((-40, 0), (-40, 60)), size: wide(320, 110)),
  FlowCase(name: "no spacing", items: same(4, 80, 50), spacing: 0, expected: at((0, 0), (80, 0), (160, 0), (240, 0)), size: wide(320, 50)),
  FlowCase(name: "no line spacing", items: same(2, 320, 50), lines: 0, expected: at((0, 0), (0, 50)), size: wide(320, 100)),
  FlowCase(
    name: "spacing that pushes an item out", items: same(3, 100, 50), spacing: 11, expected: at((0, 0), (220, 0), (0, 60)),
    size: wide(320, 110)),
  FlowCase(
    name: "section insets", items: same(4, 90, 50), inset: UIEdgeInsets(top: 5, left: 10, bottom: 7, right: 20),
    expected: at((10, 5), (110, 5), (210, 5), (10, 65)), size: wide(320, 122)),
  FlowCase(
    name: "insets without items", items: [], inset: UIEdgeInsets(top: 5, left: 0, bottom: 7, right: 0), expected: [], size: wide(320, 12)),
  FlowCase(
    name: "insets wider than the view", items: same(1, 50, 50), inset: UIEdgeInsets(top: 0, left: 200, bottom: 0, right: 200),
    expected: at((175, 0)), size: wide(320, 50)),
  FlowCase(
    name: "thirds of the width", items: same(3, 320 / 3, 50), spacing: 0, expected: at((0, 0), (107, 0), (213, 0)), size: wide(320, 50)),
  FlowCase(
    name: "whole pixels", view: wide(375, 400), items: same(3, 100, 50), expected: at((0, 0), (138, 0), (275, 0)), size: wide(375, 50)),
  FlowCase(
    name: "half points", view: wide(375, 400), items: same(3, 100, 50), scale: 2, expected: at((0, 0), (137.5, 0), (275, 0)),
    size: wide(375, 50)),
  // Headers, footers, content insets.
  FlowCase(name: "header", items: same(1, 320, 50), header: wide(10, 30), expected: at((0, 30)), size: wide(320, 80)),
  FlowCase(
    name: "header and footer", items: same(1, 320, 50), inset: UIEdgeInsets(top: 4, left: 0, bottom: 6, right: 0), header: wide(0, 30),
    footer: wide(0, 20), expected: at((0, 34)), size: wide(320, 110)),
  FlowCase(
    name: "content insets", items: same(3, 90, 50), content: UIEdgeInsets(top: 9, left: 10, bottom: 9, right: 10),
    expected: at((0, 0), (105, 0), (210, 0)), size: wide(300, 50)),
  // Several sizes.
  FlowCase(
    name: "a last line of several sizes isn't stretched", items: sizes((100, 50), (60, 50)), expected: at((0, 0), (110, 0)),
    size: wide(320, 50)),
  FlowCase(
    name: "full lines of several sizes are", items: sizes((100, 50), (150, 50), (100, 50)), expected: at((0, 0), (170, 0), (0, 60)),
    size: wide(320, 110)),
  FlowCase(
    name: "centered across the line", items: sizes((100, 50), (100, 30), (100, 40)), expected: at((0, 0), (110, 10), (220, 5)),
    size: wide(320, 50)),
  FlowCase(
    name: "a line's height is its highest item's", items: sizes((200, 30), (110, 50), (300, 20)), expected: at((0, 10), (210, 0), (0, 60)),
    size: wide(320, 80)),
  FlowCase(
    name: "alone on a line that isn't the last", items: sizes((200, 50), (320, 50)), expected: at((60, 0), (0, 60)), size: wide(320, 110)),
  FlowCase(name: "alone on the last line", items: sizes((320, 50), (200, 50)), expected: at((0, 0), (0, 60)), size: wide(320, 110)),
  FlowCase(
    name: "wider than the line among others", items: sizes((50, 50), (400, 50), (50, 50)), expected: at((135, 0), (-40, 60), (0, 120)),
    size: wide(320, 170)),
  // From left to right.
  FlowCase(
    name: "columns from left to right", view: wide(400, 320), items: same(4, 50, 100), direction: .horizontal,
    expected: at((0, 0), (0, 110), (0, 220), (60, 0)), size: wide(110, 320)),
  FlowCase(
    name: "a strip is centered across", view: wide(400, 100), items: same(3, 80, 60), direction: .horizontal,
    expected: at((0, 20), (90, 20), (180, 20)), size: wide(260, 100)),
  FlowCase(
    name: "stretched columns", view: wide(400, 320), items: same(3, 50, 90), lines: 4, direction: .horizontal,
    expected: at((0, 0), (0, 115), (0, 230)), size: wide(50, 320)),
  FlowCase(
    name: "insets and header from left to right", view: wide(400, 320), items: same(1, 50, 320),
    inset: UIEdgeInsets(top: 0, left: 3, bottom: 0, right: 4), direction: .horizontal, header: wide(20, 0), footer: wide(10, 0),
    expected: at((23, 0)), size: wide(87, 320)),
  // Numbers that make no sense.
  FlowCase(
    name: "sizes that aren't numbers", items: sizes((.nan, 50), (100, .infinity), (-5, 20)), spacing: .nan,
    expected: at((0, 0), (0, 25), (100, 15)), size: wide(320, 50)),
  FlowCase(name: "zero sizes", items: same(2, 0, 0), spacing: 0, lines: 0, expected: at((0, 0), (320, 0)), size: wide(320, 0)),
]

@MainActor
final class SizingSource: Source, UICollectionViewDelegateFlowLayout {
  let sizes: [CGSize]

  init(_ sizes: [CGSize]) {
    self.sizes = sizes
    super.init([sizes.count])
  }

  func collectionView(
    _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout, sizeForItemAt indexPath: IndexPath
  ) -> CGSize { sizes[indexPath.item] }
}

@MainActor @Suite struct FlowFrameTests {
  @Test(arguments: cases) func framesFollowUIKitsRules(_ flow: FlowCase) {
    let layout = UICollectionViewFlowLayout()
    layout.minimumInteritemSpacing = flow.spacing
    layout.minimumLineSpacing = flow.lines
    layout.sectionInset = flow.inset
    layout.scrollDirection = flow.direction
    layout.headerReferenceSize = flow.header
    layout.footerReferenceSize = flow.footer
    let source = SizingSource(flow.items)
    let view = UICollectionView.noting(flow.view, layout, source)
    view.delegate = source
    view.contentInset = flow.content
    view.contentScaleFactor = flow.scale
    view.layoutIfNeeded()
    let found = flow.items.indices.map { view.layoutAttributesForItem(at: .item($0))?.frame ?? .null }
    #expect(found.map(\.origin) == flow.expected)
    #expect(view.contentSize == flow.size)
    for (frame, size) in zip(found, flow.items) where size.width.isFinite && size.height.isFinite && size.width >= 0 {
      #expect(frame.size == size)
    }
  }

  @Test func headersAndFootersReachAcross() {
    let layout = UICollectionViewFlowLayout()
    layout.headerReferenceSize = CGSize(width: 1, height: 30)
    layout.footerReferenceSize = CGSize(width: 1, height: 20)
    let source = Source([1, 0])
    let view = UICollectionView.noting(CGSize(width: 320, height: 480), layout, source)
    let frame = { (kind: String, section: Int) in
      view.layoutAttributesForSupplementaryElement(ofKind: kind, at: .item(0, section))?.frame
    }
    #expect(frame(UICollectionView.elementKindSectionHeader, 0) == CGRect(0, 0, 320, 30))
    #expect(frame(UICollectionView.elementKindSectionFooter, 0) == CGRect(0, 80, 320, 20))
    #expect(frame(UICollectionView.elementKindSectionHeader, 1) == CGRect(0, 100, 320, 30))
    #expect(frame(UICollectionView.elementKindSectionFooter, 1) == CGRect(0, 130, 320, 20))
    #expect(frame("other", 0) == nil)
    #expect(frame(UICollectionView.elementKindSectionHeader, 7) == nil)
    #expect(view.contentSize == CGSize(width: 320, height: 150))
  }
}
