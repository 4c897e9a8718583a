import Foundation

/// One change of an update of a collection view, as it tells the layout.
@preconcurrency @MainActor
open class UICollectionViewUpdateItem: NSObject {
  /// What happens to an item or section.
  public enum Action: Int, Sendable {
    /// It is inserted.
    case insert
    /// It is deleted.
    case delete
    /// It is reloaded.
    case reload
    /// It is moved.
    case move
    /// Nothing.
    case none
  }

  /// The path before the update; nil for an insertion. A section's has `NSNotFound` as its item.
  public final let indexPathBeforeUpdate: IndexPath?
  /// The path after the update; nil for a deletion. A section's has `NSNotFound` as its item.
  public final let indexPathAfterUpdate: IndexPath?
  /// What happens.
  public final let updateAction: Action

  init(_ action: Action, before: IndexPath? = nil, after: IndexPath? = nil) {
    updateAction = action
    indexPathBeforeUpdate = before
    indexPathAfterUpdate = after
    super.init()
  }
}
