import Foundation
import HeadlessDrawing

/// A view that shows an ordered collection of items by cells, which a layout places.
///
/// There is no screen and no run loop that triggers layout. Layout happens in `layoutIfNeeded()`, in `drawHierarchy(in:afterScreenUpdates:)`, and
/// when visible elements are asked for (`visibleCells`, `cellForItem(at:)`, `indexPathForItem(at:)`).
///
/// ```
///  counts ──► prepare() ──► collectionViewContentSize ──► layoutAttributesForElements(in: bounds) ──► cells, views
///    ▲            ▲                                                     ▲
///  reloadData   invalidateLayout                                contentOffset, bounds
/// ```
///
/// A mistake for which UIKit raises an exception (an update that doesn't add up, an identifier that isn't registered) is reported once on standard
/// error, and handled as the methods document.
@preconcurrency @MainActor
open class UICollectionView: UIScrollView {
  /// The view of a visible element, and the attributes that were applied to it.
  struct Visible {
    let view: UICollectionReusableView
    var attributes: UICollectionViewLayoutAttributes
  }

  /// The current layout; after `init(coder:)` a new flow layout.
  final var currentLayout: UICollectionViewLayout
  final var knowledge = CollectionKnowledge.nothing
  final var activity = CollectionActivity.none
  final var counts = CollectionCounts()
  /// The visible elements with their views.
  final var visible: [ElementKey: Visible] = [:]
  /// The registered classes, and the views waiting for reuse.
  final let reuse = ReusableViews()
  /// The changes announced so far in `performBatchUpdates(_:completion:)`; nil outside of it.
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

  /// The object that is told about changes. If it is a `UICollectionViewDelegateFlowLayout`, a flow layout asks it for sizes.
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
  /// Whether several items may be selected at the same time.
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

  /// Sets new bounds after asking the layout whether they invalidate it. Bounds that aren't finite are ignored, because layouts compute with them.
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

  /// Sets the offset at once. If `animated`, the delegate is told that the animation has ended.
  open override func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
    super.setContentOffset(contentOffset, animated: animated)
    if animated { delegate?.scrollViewDidEndScrollingAnimation(self) }
  }

  // MARK: - Layout

  /// Prepares the layout if it is invalid, and shows the elements within the bounds.
  open override func layoutSubviews() {
    super.layoutSubviews()
    showElements()
    // Adding and removing views has set `needsLayout`; another layout is needed only if the layout has become invalid.
    needsLayout = knowledge != .layout
  }

  /// Called by the layout when it has been invalidated by a context.
  final func takeInvalidation(_ context: UICollectionViewLayoutInvalidationContext) {
    let all = context.invalidateEverything || context.invalidateDataSourceCounts
    if context.invalidateDataSourceCounts && activity != .updating { knowledge = .nothing }
    knowledge.loseLayout()
    setNeedsLayout()
    guard !all, context.contentOffsetAdjustment.isFinite, context.contentOffsetAdjustment != .zero else { return }
    let (offset, adjustment) = (contentOffset, context.contentOffsetAdjustment)
    contentOffset = CGPoint(x: offset.x + adjustment.x, y: offset.y + adjustment.y)
  }

  /// Asks the data source for the counts and prepares the layout, unless both are up to date. Does nothing while the layout is being prepared.
  final func prepareLayoutIfNeeded() {
    guard activity == .none || activity == .displaying, knowledge != .layout else { return }
    let resumed = activity
    activity = .preparing
    defer { activity = resumed }
    if knowledge == .nothing { counts = countsOfDataSource() }
    // Set before the calls, so that a layout that invalidates itself in `prepare()` isn't prepared again and again.
    knowledge = .layout
    currentLayout.prepare()
    takeContentSize()
    knowledge = .layout
  }

  /// Reads the content size from the layout.
  final func takeContentSize() {
    let size = currentLayout.collectionViewContentSize
    if !size.isFinite { report("\(type(of: currentLayout)) has a content size of \(size): lengths that aren't finite count as 0") }
    contentSize = size.sanitized
  }

  /// The current counts of the data source.
  final func countsOfDataSource() -> CollectionCounts {
    guard let dataSource else { return CollectionCounts() }
    let sections = CollectionCounts.limited(dataSource.numberOfSections(in: self))
    return CollectionCounts((0..<sections).map { dataSource.collectionView(self, numberOfItemsInSection: $0) })
  }

  /// Discards all views and asks the data source for everything again at the next layout. The selection is removed.
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
