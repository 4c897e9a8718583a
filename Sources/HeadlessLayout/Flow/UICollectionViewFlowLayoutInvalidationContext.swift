import Foundation

/// The invalidation context of a flow layout.
@preconcurrency @MainActor
open class UICollectionViewFlowLayoutInvalidationContext: UICollectionViewLayoutInvalidationContext {
  /// Whether the delegate has to be asked again for sizes and spacings. The default is true.
  open var invalidateFlowLayoutDelegateMetrics = true
  /// Whether the frames have to be computed again. The default is true.
  open var invalidateFlowLayoutAttributes = true

  /// A context that invalidates everything that the flow layout computes.
  public override init() { super.init() }
}
