import Foundation

/// The object of the app that a collection view tells about changes of its views.
///
/// UIKit's optional methods are requirements with default implementations here, because Swift has optional requirements only on Apple's platforms.
/// Methods about touches don't exist. As in UIKit, selecting items by the collection view's own methods isn't reported to the delegate.
@preconcurrency @MainActor
public protocol UICollectionViewDelegate: UIScrollViewDelegate {
  /// Called when a cell is about to be shown.
  func collectionView(_ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell, forItemAt indexPath: IndexPath)
  /// Called when a supplementary or decoration view is about to be shown.
  func collectionView(
    _ collectionView: UICollectionView, willDisplaySupplementaryView view: UICollectionReusableView, forElementKind elementKind: String,
    at indexPath: IndexPath)
  /// Called when a cell is no longer shown.
  func collectionView(_ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell, forItemAt indexPath: IndexPath)
  /// Called when a supplementary or decoration view is no longer shown.
  func collectionView(
    _ collectionView: UICollectionView, didEndDisplayingSupplementaryView view: UICollectionReusableView,
    forElementOfKind elementKind: String, at indexPath: IndexPath)
  /// The content offset to use after an update or a change of layouts; the layout has proposed `proposedContentOffset`.
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
  /// Calls the delegate's method for a view of any category that is about to be shown.
  func tell(_ collectionView: UICollectionView, willDisplay view: UICollectionReusableView, of key: ElementKey) {
    switch (key.category, key.kind, view as? UICollectionViewCell) {
    case (.cell, _, let cell?): self.collectionView(collectionView, willDisplay: cell, forItemAt: key.indexPath)
    case (_, let kind?, _):
      self.collectionView(collectionView, willDisplaySupplementaryView: view, forElementKind: kind, at: key.indexPath)
    case (_, nil, _): break
    }
  }

  /// Calls the delegate's method for a view of any category that is no longer shown.
  func tell(_ collectionView: UICollectionView, didEndDisplaying view: UICollectionReusableView, of key: ElementKey) {
    switch (key.category, key.kind, view as? UICollectionViewCell) {
    case (.cell, _, let cell?): self.collectionView(collectionView, didEndDisplaying: cell, forItemAt: key.indexPath)
    case (_, let kind?, _):
      self.collectionView(collectionView, didEndDisplayingSupplementaryView: view, forElementOfKind: kind, at: key.indexPath)
    case (_, nil, _): break
    }
  }
}
