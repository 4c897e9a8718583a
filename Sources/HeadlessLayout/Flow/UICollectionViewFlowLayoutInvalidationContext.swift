import Foundation

/// The context of a flow layout's invalidations.
@preconcurrency @MainActor
open class UICollectionViewFlowLayoutInvalidationContext: UICollectionViewLayoutInvalidationContext {
  /// Whether the delegate is to be asked for sizes and spacings anew. Yes by default.
  open var invalidateFlowLayoutDelegateMetrics = true
  /// Whether the frames are to be computed anew. Yes by default.
  open var invalidateFlowLayoutAttributes = true

  /// A context that invalidates all that the flow layout computes.
  public override init() { super.init() }
}
