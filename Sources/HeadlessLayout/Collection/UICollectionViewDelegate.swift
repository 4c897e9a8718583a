import Foundation

/// What a collection view tells the app.
///
/// UIKit's optional methods are requirements with default implementations here: Swift has no optional requirements off Apple's platforms.
/// Methods about touches aren't there. As in UIKit, selecting by the collection view's own methods tells the delegate nothing.
@preconcurrency @MainActor
public protocol UICollectionViewDelegate: UIScrollViewDelegate {
  /// A cell is about to be shown.
  func collectionView(_ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell, forItemAt indexPath: IndexPath)
  /// A supplementary or decoration view is about to be shown.
  func collectionView(
    _ collectionView: UICollectionView, willDisplaySupplementaryView view: UICollectionReusableView, forElementKind elementKind: String,
    at indexPath: IndexPath)
  /// A cell is no longer shown.
  func collectionView(_ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell, forItemAt indexPath: IndexPath)
  /// A supplementary or decoration view is no longer shown.
  func collectionView(
    _ collectionView: UICollectionView, didEndDisplayingSupplementaryView view: UICollectionReusableView,
    forElementOfKind elementKind: String, at indexPath: IndexPath)
  /// The content offset after an update or a change of layouts, after the layout has proposed it.
  func collectionView(
    _ collectionView: UICollectionView, targetContentOffsetForProposedContentOffset proposedContentOffset: CGPoint
  ) -> CGPoint
}

extension UICollectionViewDelegate {
  public func collectionView(
    _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell, forItemAt indexPath: IndexPath
  ) {}

  public func collectionView(
    _ collectionView: UICollectionView, willDisplaySupplementaryView view: UICollectionReusableView, forElementKind elementKind: String,
    at indexPath: IndexPath
  ) {}

  public func collectionView(
    _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell, forItemAt indexPath: IndexPath
  ) {}

  public func collectionView(
    _ collectionView: UICollectionView, didEndDisplayingSupplementaryView view: UICollectionReusableView,
    forElementOfKind elementKind: String, at indexPath: IndexPath
  ) {}

  public func collectionView(
    _ collectionView: UICollectionView, targetContentOffsetForProposedContentOffset proposedContentOffset: CGPoint
  ) -> CGPoint { proposedContentOffset }
}

extension UICollectionViewDelegate {
  /// Tells of a view of any category that is about to be shown.
  func tell(_ collectionView: UICollectionView, willDisplay view: UICollectionReusableView, of key: ElementKey) {
    switch (key.category, key.kind, view as? UICollectionViewCell) {
    case (.cell, _, let cell?): self.collectionView(collectionView, willDisplay: cell, forItemAt: key.indexPath)
    case (_, let kind?, _):
      self.collectionView(collectionView, willDisplaySupplementaryView: view, forElementKind: kind, at: key.indexPath)
    case (_, nil, _): break
    }
  }

  /// Tells of a view of any category that is no longer shown.
  func tell(_ collectionView: UICollectionView, didEndDisplaying view: UICollectionReusableView, of key: ElementKey) {
    switch (key.category, key.kind, view as? UICollectionViewCell) {
    case (.cell, _, let cell?): self.collectionView(collectionView, didEndDisplaying: cell, forItemAt: key.indexPath)
    case (_, let kind?, _):
      self.collectionView(collectionView, didEndDisplayingSupplementaryView: view, forElementOfKind: kind, at: key.indexPath)
    case (_, nil, _): break
    }
  }
}
