import Foundation
import HeadlessDrawing

extension UICollectionViewFlowLayout {
  /// The directions along and across the layout.
  var axis: FlowAxis { FlowAxis(settings.direction) }

  /// The length of a line: the collection view's size across the layout, without the content insets.
  var across: CGFloat {
    guard let view = collectionView else { return 0 }
    let inset = view.adjustedContentInset.sanitized
    let size = view.bounds.size
    return axis.across(CGSize(width: size.width - inset.left - inset.right, height: size.height - inset.top - inset.bottom)).sanitizedLength
  }

  /// The frames of all sections; computed if they haven't been since the last invalidation.
  func computedSections() -> [FlowSection] {
    if let sections { return sections }
    guard let view = collectionView else { return [] }
    let known = metrics ?? FlowMetrics.ask(view, self)
    metrics = known
    var computed: [FlowSection] = []
    let scale = max(view.contentScaleFactor.sanitizedLength, 1)
    for (number, section) in known.enumerated() {
      var sized = section
      if settings.itemsSizeThemselves {
        sized.sizes.take(preferredSizes, section: number)
        sized.centersOnlyItem = true
      }
      computed.append(FlowSection(sized, axis: axis, start: computed.last?.end ?? 0, across: across, scale: scale))
    }
    sections = computed
    return computed
  }

  /// The attributes of an item.
  func attributes(ofItem item: Int, in section: FlowSection, _ number: Int) -> UICollectionViewLayoutAttributes {
    let made = newAttributes(.cell(IndexPath(item: item, section: number)))
    made.frame = section.frames[item]
    return made
  }

  /// The attributes of a section's header; nil if it has none.
  func attributes(ofHeaderIn section: FlowSection, _ number: Int) -> UICollectionViewLayoutAttributes? {
    guard let frame = section.header else { return nil }
    let made = newAttributes(.supplementary(UICollectionView.elementKindSectionHeader, IndexPath(item: 0, section: number)))
    made.frame = frame
    guard settings.pinsHeaders, let view = collectionView else { return made }
    made.zIndex = FlowSection.pinnedZIndex
    made.frame = section.pinnedHeader(frame, visible: view.bounds.inset(by: view.adjustedContentInset.sanitized), axis)
    return made
  }

  /// The attributes of a section's footer; nil if it has none.
  func attributes(ofFooterIn section: FlowSection, _ number: Int) -> UICollectionViewLayoutAttributes? {
    guard let frame = section.footer else { return nil }
    let made = newAttributes(.supplementary(UICollectionView.elementKindSectionFooter, IndexPath(item: 0, section: number)))
    made.frame = frame
    guard settings.pinsFooters, let view = collectionView else { return made }
    made.zIndex = FlowSection.pinnedZIndex
    made.frame = section.pinnedFooter(frame, visible: view.bounds.inset(by: view.adjustedContentInset.sanitized), axis)
    return made
  }
}
