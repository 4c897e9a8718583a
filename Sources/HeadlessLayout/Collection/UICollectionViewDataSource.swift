import Foundation

/// The object of the app that provides the numbers of sections and items, and their views.
///
/// UIKit's optional methods are requirements with default implementations here, because Swift has optional requirements only on Apple's platforms.
@preconcurrency @MainActor
public protocol UICollectionViewDataSource: NSObjectProtocol {
  /// The number of items in a section. A negative number counts as 0.
  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
  /// The cell of an item, from `dequeueReusableCell(withReuseIdentifier:for:)`.
  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
  /// The number of sections; 1 by default. A negative number counts as 0.
  func numberOfSections(in collectionView: UICollectionView) -> Int
  /// A supplementary view, from `dequeueReusableSupplementaryView(ofKind:withReuseIdentifier:for:)`; an empty view by default.
  func collectionView(
    _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
  ) -> UICollectionReusableView
}

extension UICollectionViewDataSource {
  public func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }

  public func collectionView(
    _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
  ) -> UICollectionReusableView {
    report("the data source has no supplementary views, but the layout asks for one of kind \(kind): an empty view is shown")
    return UICollectionReusableView(frame: .zero)
  }
}
