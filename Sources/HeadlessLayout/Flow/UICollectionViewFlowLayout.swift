import Foundation
import HeadlessDrawing

/// A layout that fills lines with items, one section after the other, as UIKit's.
///
/// - **Lines**: items are added to a line while they fit between the section's insets with the least spacing. A full line's items are
///   spread over its length; a line with one item has it in the middle. Items of different heights are centered across their line.
/// - **The last line** of a section whose items all have one size uses the spacing of the full lines, so that items form columns. Where
///   sizes differ, its items are set from the start, with the least spacing. Where items size themselves, a section's only item is
///   centered.
/// - **An item that is longer than its line** has a line of its own, and reaches beyond it on both sides.
/// - **Positions** are rounded to whole pixels (the collection view's `contentScaleFactor`).
/// - **Headers and footers** are as long as the content is wide, and as high as their reference sizes (as wide, where lines follow each
///   other from left to right); with 0 there is none. A section without items has its insets nevertheless.
/// - **Lengths** that are negative, infinite or not a number count as 0.
@preconcurrency @MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {
  /// The estimated size of items that size themselves and start with `itemSize`.
  public nonisolated static let automaticSize = CGSize(width: CGFloat.greatestFiniteMagnitude, height: .greatestFiniteMagnitude)

  final var settings = FlowSettings()
  /// The sections; nil if they aren't computed.
  final var sections: [FlowSection]?
  /// The metrics of the sections, by which they were computed last; nil if the delegate is to be asked.
  final var metrics: [FlowMetrics]?
  /// The sizes that cells prefer, where items size themselves.
  final var preferredSizes: [IndexPath: CGSize] = [:]

  /// A layout from top to bottom, of items of 50 by 50 points with at least 10 points between them.
  public override init() { super.init() }

  /// As `init()`; archives of layouts aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  open override class var invalidationContextClass: AnyClass { UICollectionViewFlowLayoutInvalidationContext.self }

  // MARK: - Settings

  /// The least distance between lines. 10 by default.
  open var minimumLineSpacing: CGFloat {
    get { settings.lineSpacing }
    set { change(\.lineSpacing, to: newValue) }
  }

  /// The least distance between the items of a line. 10 by default.
  open var minimumInteritemSpacing: CGFloat {
    get { settings.interitemSpacing }
    set { change(\.interitemSpacing, to: newValue) }
  }

  /// The size of items. 50 by 50 by default.
  open var itemSize: CGSize {
    get { settings.itemSize }
    set { change(\.itemSize, to: newValue) }
  }

  /// The size of items whose cells haven't told the size that they prefer. Anything but zero asks the cells on show for it, by
  /// `preferredLayoutAttributesFitting(_:)`.
  open var estimatedItemSize: CGSize {
    get { settings.estimatedItemSize }
    set { change(\.estimatedItemSize, to: newValue) }
  }

  /// The direction in which lines follow each other. Vertical by default.
  open var scrollDirection: UICollectionView.ScrollDirection {
    get { settings.direction }
    set { change(\.direction, to: newValue) }
  }

  /// The size of headers, of which the length across the lines counts. Zero, for no headers, by default.
  open var headerReferenceSize: CGSize {
    get { settings.headerSize }
    set { change(\.headerSize, to: newValue) }
  }

  /// The size of footers, of which the length across the lines counts. Zero, for no footers, by default.
  open var footerReferenceSize: CGSize {
    get { settings.footerSize }
    set { change(\.footerSize, to: newValue) }
  }

  /// The distances around a section's items, between its header and footer. Zero by default.
  open var sectionInset: UIEdgeInsets {
    get { settings.inset }
    set { change(\.inset, to: newValue) }
  }

  /// Whether headers stay at the edge of what is on show while their section's items are. No by default.
  open var sectionHeadersPinToVisibleBounds: Bool {
    get { settings.pinsHeaders }
    set { change(\.pinsHeaders, to: newValue) }
  }

  /// Whether footers stay at the edge of what is on show while their section's items are. No by default.
  open var sectionFootersPinToVisibleBounds: Bool {
    get { settings.pinsFooters }
    set { change(\.pinsFooters, to: newValue) }
  }

  private func change<Value: Equatable>(_ setting: WritableKeyPath<FlowSettings, Value>, to value: Value) {
    guard settings[keyPath: setting] != value else { return }
    settings[keyPath: setting] = value
    invalidateLayout()
  }

  // MARK: - The layout

  /// Computes the frames, where they aren't computed.
  open override func prepare() {
    super.prepare()
    _ = computedSections()
  }

  /// The size of the content: as wide as the collection view within its content insets, and as high as the sections (the other way round
  /// where lines follow each other from left to right).
  open override var collectionViewContentSize: CGSize {
    let end = computedSections().last?.end ?? 0
    return axis.size(along: end, across: across)
  }

  open override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    var found: [UICollectionViewLayoutAttributes] = []
    for (number, section) in computedSections().enumerated() {
      let (header, footer) = (attributes(ofHeaderIn: section, number), attributes(ofFooterIn: section, number))
      if let header, header.frame.overlaps(rect) { found.append(header) }
      for item in section.items(in: rect) { found.append(attributes(ofItem: item, in: section, number)) }
      if let footer, footer.frame.overlaps(rect) { found.append(footer) }
    }
    return found
  }

  open override func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    let sections = computedSections()
    guard indexPath.count == 2, sections.indices.contains(indexPath.section) else { return nil }
    let section = sections[indexPath.section]
    guard section.frames.indices.contains(indexPath.item) else { return nil }
    return attributes(ofItem: indexPath.item, in: section, indexPath.section)
  }

  open override func layoutAttributesForSupplementaryView(
    ofKind elementKind: String, at indexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? {
    let sections = computedSections()
    guard sections.indices.contains(indexPath.section), indexPath.count < 2 || indexPath.item == 0 else { return nil }
    let section = sections[indexPath.section]
    switch elementKind {
    case UICollectionView.elementKindSectionHeader: return attributes(ofHeaderIn: section, indexPath.section)
    case UICollectionView.elementKindSectionFooter: return attributes(ofFooterIn: section, indexPath.section)
    default: return nil
    }
  }

  // MARK: - Invalidation

  /// Yes for a change of the length across which lines reach, and for every change while headers or footers are pinned.
  open override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool {
    guard let bounds = collectionView?.bounds else { return false }
    return settings.pinsHeaders || settings.pinsFooters || axis.across(bounds.size) != axis.across(newBounds.size)
  }

  open override func invalidationContext(forBoundsChange newBounds: CGRect) -> UICollectionViewLayoutInvalidationContext {
    let context = super.invalidationContext(forBoundsChange: newBounds)
    guard let bounds = collectionView?.bounds, axis.across(bounds.size) == axis.across(newBounds.size) else { return context }
    // Only what is pinned moves.
    (context as? UICollectionViewFlowLayoutInvalidationContext)?.invalidateFlowLayoutDelegateMetrics = false
    (context as? UICollectionViewFlowLayoutInvalidationContext)?.invalidateFlowLayoutAttributes = false
    let paths = (sections ?? []).indices.map { IndexPath(item: 0, section: $0) }
    if settings.pinsHeaders { context.invalidateSupplementaryElements(ofKind: UICollectionView.elementKindSectionHeader, at: paths) }
    if settings.pinsFooters { context.invalidateSupplementaryElements(ofKind: UICollectionView.elementKindSectionFooter, at: paths) }
    return context
  }

  open override func invalidateLayout(with context: UICollectionViewLayoutInvalidationContext) {
    let flow = context as? UICollectionViewFlowLayoutInvalidationContext
    let all = context.invalidateEverything || context.invalidateDataSourceCounts
    if all || flow?.invalidateFlowLayoutDelegateMetrics ?? true { metrics = nil }
    if all || flow?.invalidateFlowLayoutAttributes ?? true { sections = nil }
    if metrics == nil { sections = nil }
    if context.invalidateDataSourceCounts { preferredSizes = [:] }
    super.invalidateLayout(with: context)
  }

  /// Yes for a cell that prefers another size, if items size themselves.
  open override func shouldInvalidateLayout(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> Bool {
    settings.itemsSizeThemselves && originalAttributes.representedElementCategory == .cell
      && preferredAttributes.size != originalAttributes.size && preferredAttributes.size.isFinite
  }

  /// Keeps the size that the cell prefers; the delegate isn't asked again.
  open override func invalidationContext(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> UICollectionViewLayoutInvalidationContext {
    let context = super.invalidationContext(
      forPreferredLayoutAttributes: preferredAttributes, withOriginalAttributes: originalAttributes)
    preferredSizes[originalAttributes.indexPath] = preferredAttributes.size
    (context as? UICollectionViewFlowLayoutInvalidationContext)?.invalidateFlowLayoutDelegateMetrics = false
    return context
  }
}
