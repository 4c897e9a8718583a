import Foundation
import HeadlessDrawing

/// A layout that fills lines with items, one section after another, in the same way as UIKit's.
///
/// - **Lines**: items are added to a line as long as they fit between the section's insets with the minimum spacing. The items of a full line are
///   spread over its length; a single item is centered. Items of different heights are centered across their line.
/// - **The last line** of a section whose items all have the same size uses the spacing of the full lines, so that the items form columns. If sizes
///   differ, its items begin at the start of the line, with the minimum spacing. With self-sizing items, the only item of a section is centered.
/// - **An item that is longer than its line** has a line of its own, and extends beyond it on both sides.
/// - **Positions** are rounded to whole pixels (the collection view's `contentScaleFactor`).
/// - **Headers and footers** are as long as a line, and as thick as their reference size along the layout; with 0 there is none. A section without
///   items still has its insets.
/// - **Lengths** that are negative, infinite or NaN count as 0.
@preconcurrency @MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {
  /// The value of `estimatedItemSize` with which items size themselves, starting from `itemSize`.
  public nonisolated static let automaticSize = CGSize(width: CGFloat.greatestFiniteMagnitude, height: .greatestFiniteMagnitude)

  final var settings = FlowSettings()
  /// The frames of the sections; nil if they have to be computed.
  final var sections: [FlowSection]?
  /// The metrics with which the sections were computed; nil if the delegate has to be asked again.
  final var metrics: [FlowMetrics]?
  /// The sizes that cells prefer, if items size themselves.
  final var preferredSizes: [IndexPath: CGSize] = [:]

  /// A layout that scrolls vertically, with items of 50 by 50 points and a minimum spacing of 10 points.
  public override init() { super.init() }

  /// The same as `init()`; archives of layouts aren't read.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  open override class var invalidationContextClass: AnyClass { UICollectionViewFlowLayoutInvalidationContext.self }

  // MARK: - Settings

  /// The minimum distance between lines. The default is 10.
  open var minimumLineSpacing: CGFloat {
    get { settings.lineSpacing }
    set { change(\.lineSpacing, to: newValue) }
  }

  /// The minimum distance between the items of a line. The default is 10.
  open var minimumInteritemSpacing: CGFloat {
    get { settings.interitemSpacing }
    set { change(\.interitemSpacing, to: newValue) }
  }

  /// The size of items. The default is 50 by 50.
  open var itemSize: CGSize {
    get { settings.itemSize }
    set { change(\.itemSize, to: newValue) }
  }

  /// The size of items whose cells haven't been asked yet for the size that they prefer. Any value except zero makes visible cells be asked, by
  /// `preferredLayoutAttributesFitting(_:)`. The default is zero.
  open var estimatedItemSize: CGSize {
    get { settings.estimatedItemSize }
    set { change(\.estimatedItemSize, to: newValue) }
  }

  /// The direction in which lines follow each other. The default is vertical.
  open var scrollDirection: UICollectionView.ScrollDirection {
    get { settings.direction }
    set { change(\.direction, to: newValue) }
  }

  /// The size of headers, of which only the length along the scroll direction is used. The default is zero: no headers.
  open var headerReferenceSize: CGSize {
    get { settings.headerSize }
    set { change(\.headerSize, to: newValue) }
  }

  /// The size of footers, of which only the length along the scroll direction is used. The default is zero: no footers.
  open var footerReferenceSize: CGSize {
    get { settings.footerSize }
    set { change(\.footerSize, to: newValue) }
  }

  /// The insets around a section's items, between its header and footer. The default is zero.
  open var sectionInset: UIEdgeInsets {
    get { settings.inset }
    set { change(\.inset, to: newValue) }
  }

  /// Whether headers stay at the edge of the visible bounds as long as their section is visible. The default is false.
  open var sectionHeadersPinToVisibleBounds: Bool {
    get { settings.pinsHeaders }
    set { change(\.pinsHeaders, to: newValue) }
  }

  /// Whether footers stay at the edge of the visible bounds as long as their section is visible. The default is false.
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

  /// Computes the frames of all sections, unless they are up to date.
  open override func prepare() {
    super.prepare()
    _ = computedSections()
  }

  /// The size of the content: the width of the collection view within its content insets, and the height of all sections. With horizontal scrolling,
  /// the other way round.
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

  /// True if the bounds change the length of lines; with pinned headers or footers, true for every change.
  open override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool {
    guard let bounds = collectionView?.bounds else { return false }
    return settings.pinsHeaders || settings.pinsFooters || axis.across(bounds.size) != axis.across(newBounds.size)
  }

  open override func invalidationContext(forBoundsChange newBounds: CGRect) -> UICollectionViewLayoutInvalidationContext {
    let context = super.invalidationContext(forBoundsChange: newBounds)
    guard let bounds = collectionView?.bounds, axis.across(bounds.size) == axis.across(newBounds.size) else { return context }
    // The length of lines stays the same, so only pinned headers and footers move.
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

  /// True if a cell prefers another size and items size themselves.
  open override func shouldInvalidateLayout(
    forPreferredLayoutAttributes preferredAttributes: UICollectionViewLayoutAttributes,
    withOriginalAttributes originalAttributes: UICollectionViewLayoutAttributes
  ) -> Bool {
    settings.itemsSizeThemselves && originalAttributes.representedElementCategory == .cell
      && preferredAttributes.size != originalAttributes.size && preferredAttributes.size.isFinite
  }

  /// Stores the size that the cell prefers. The delegate isn't asked again.
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
