import Foundation

/// One change in an update of a collection view, as the layout gets it.
@preconcurrency @MainActor
open class UICollectionViewUpdateItem: NSObject {
  /// The kind of change of an item or section.
  public enum Action: Int, Sendable {
    /// The item or section is inserted.
    case insert
    /// The item or section is deleted.
    case delete
    /// The item or section is reloaded.
    case reload
    /// The item or section is moved.
    case move
    /// No change.
    case none
  }

  /// The index path before the update; nil for an insertion. For a section, the item is `NSNotFound`.
  public final let indexPathBeforeUpdate: IndexPath?
  /// The index path after the update; nil for a deletion. For a section, the item is `NSNotFound`.
  public final let indexPathAfterUpdate: IndexPath?
  /// The kind of change.
  public final let updateAction: Action

  init(_ action: Action, before: IndexPath? = nil, after: IndexPath? = nil) {
    updateAction = action
    indexPathBeforeUpdate = before
    indexPathAfterUpdate = after
    super.init()
  }
}
