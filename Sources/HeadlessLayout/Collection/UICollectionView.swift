import Foundation
import HeadlessDrawing

/// A view that shows an ordered collection of items by cells, which a layout places.
///
/// Without a screen there is no run loop that lays out: `layoutIfNeeded()` does, as do `drawHierarchy(in:afterScreenUpdates:)` and the
/// questions about what is on show (`visibleCells`, `cellForItem(at:)`, `indexPathForItem(at:)`).
///
/// ```
///  counts ──► prepare() ──► collectionViewContentSize ──► layoutAttributesForElements(in: bounds) ──► cells, views
///    ▲            ▲                                                     ▲
///  reloadData   invalidateLayout                                contentOffset, bounds
/// ```
///
/// A mistake for which UIKit raises an exception (an update that doesn't add up, an identifier that isn't registered) is reported on
/// standard error, the first time that it is made, and answered as the methods document.
@preconcurrency @MainActor
open class UICollectionView: UIScrollView {
  /// An element on show.
  struct Visible {
    let view: UICollectionReusableView
    var attributes: UICollectionViewLayoutAttributes
  }

  /// The layout; nil only before `init(coder:)` ends.
  final var currentLayout: UICollectionViewLayout
  final var knowledge = CollectionKnowledge.nothing
  final var activity = CollectionActivity.none
  final var counts = CollectionCounts()
  /// The elements on show.
  final var visible: [ElementKey: Visible] = [:]
  /// The classes and the views for reuse.
  final let reuse = ReusableViews()
  /// The changes of the update that is being collected; nil outside of one.
  final var collectedChanges: [CollectionChange]?
  final var selection: Set<IndexPath> = []

  /// The object that provides the counts and the views.
  open var dataSource: (any UICollectionViewDataSource)? {
    get { source }
    set {
      source = newValue
      reloadData()
    }
  }
  private weak var source: (any UICollectionViewDataSource)?

  /// The object that is told of what happens; where it is a `UICollectionViewDelegateFlowLayout`, a flow layout asks it for sizes.
  open var delegate: (any UICollectionViewDelegate)? {
    get { observer }
    set {
      observer = newValue
      currentLayout.invalidateLayout()
    }
  }
  private weak var observer: (any UICollectionViewDelegate)?

  /// Whether items may be selected.
  open var allowsSelection = true
  /// Whether several items may be selected at a time.
  open var allowsMultipleSelection = false

  /// A collection view with this frame and layout; a frame that isn't finite counts as empty.
  public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
    currentLayout = layout
    super.init(frame: frame.isFinite ? frame : .zero)
    layout.collectionView = self
  }

  /// A collection view with an empty frame and a flow layout; archives of views aren't read.
  public required init?(coder: NSCoder) {
    currentLayout = UICollectionViewFlowLayout()
    super.init(coder: coder)
    currentLayout.collectionView = self
  }

  // MARK: - Geometry

  /// Asks the layout about new bounds before they are set, then sets them. Bounds that aren't finite are ignored, since layouts compute
  /// with them.
  override func change(to new: ViewGeometry) {
    guard new.bounds.isFinite else { return report("bounds of \(new.bounds) of a collection view are ignored") }
    let old = bounds
    if new.bounds != old, knowledge == .layout, currentLayout.shouldInvalidateLayout(forBoundsChange: new.bounds) {
      currentLayout.invalidateLayout(with: currentLayout.invalidationContext(forBoundsChange: new.bounds))
    }
    super.change(to: new)
    guard new.bounds != old else { return }
    setNeedsLayout()
    if new.bounds.origin != old.origin { delegate?.scrollViewDidScroll(self) }
  }

  override func change(toInsets new: UIEdgeInsets) {
    guard new != contentInset else { return }
    super.change(toInsets: new)
    currentLayout.invalidateLayout()
  }

  /// Sets the offset at once. The delegate of an animated change is told of its end.
  open override func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
    super.setContentOffset(contentOffset, animated: animated)
    if animated { delegate?.scrollViewDidEndScrollingAnimation(self) }
  }

  // MARK: - Layout

  /// Prepares the layout if it has become invalid, and shows what lies in the bounds.
  open override func layoutSubviews() {
    super.layoutSubviews()
    showElements()
    // Views that came and left have asked for another layout.
    needsLayout = knowledge != .layout
  }

  /// Takes an invalidation from the layout.
  final func takeInvalidation(_ context: UICollectionViewLayoutInvalidationContext) {
    let all = context.invalidateEverything || context.invalidateDataSourceCounts
    if context.invalidateDataSourceCounts && activity != .updating { knowledge = .nothing }
    knowledge.loseLayout()
    setNeedsLayout()
    guard !all, context.contentOffsetAdjustment.isFinite, context.contentOffsetAdjustment != .zero else { return }
    let (offset, adjustment) = (contentOffset, context.contentOffsetAdjustment)
    contentOffset = CGPoint(x: offset.x + adjustment.x, y: offset.y + adjustment.y)
  }

  /// Asks for the counts and prepares the layout, where that isn't done. Does nothing while the layout is being prepared.
  final func prepareLayoutIfNeeded() {
    guard activity == .none || activity == .displaying, knowledge != .layout else { return }
    let resumed = activity
    activity = .preparing
    defer { activity = resumed }
    if knowledge == .nothing { counts = countsOfDataSource() }
    // Before the calls, so that a layout that invalidates itself in prepare() isn't prepared without end.
    knowledge = .layout
    currentLayout.prepare()
    takeContentSize()
    knowledge = .layout
  }

  /// Reads the size of the content from the layout.
  final func takeContentSize() {
    let size = currentLayout.collectionViewContentSize
    if !size.isFinite { report("\(type(of: currentLayout)) has a content size of \(size): lengths that aren't finite count as 0") }
    contentSize = size.sanitized
  }

  /// The counts that the data source tells now.
  final func countsOfDataSource() -> CollectionCounts {
    guard let dataSource else { return CollectionCounts() }
    let sections = CollectionCounts.limited(dataSource.numberOfSections(in: self))
    return CollectionCounts((0..<sections).map { dataSource.collectionView(self, numberOfItemsInSection: $0) })
  }

  /// Asks the data source for everything anew, at the next layout. Selected items are no longer selected.
  open func reloadData() {
    knowledge = .nothing
    selection = []
    for key in visible.keys.sorted(by: ElementKey.precedes) { hide(key) }
    let context = currentLayout.newContext()
    context.invalidateEverything = true
    context.invalidateDataSourceCounts = true
    currentLayout.invalidateLayout(with: context)
  }
}
