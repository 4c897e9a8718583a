#if Combine && TestKit
  import Foundation
  import HeadlessUIKit

  /// A photo, clipped to a rounded path.
  final class PhotoCell: UICollectionViewCell {
    static let identifier = "photo"

    var image: UIImage?

    override func prepareForReuse() {
      super.prepareForReuse()
      image = nil
    }

    override func draw(_ rect: CGRect) {
      guard let image, let context = UIGraphicsGetCurrentContext() else { return }
      let frame = UIBezierPath(roundedRect: bounds.insetBy(dx: 2, dy: 2), cornerRadius: 14)
      context.saveGState()
      frame.addClip()
      // As large as fills the cell.
      let scale = max(bounds.width / image.size.width, bounds.height / image.size.height)
      let size = CGSize(width: image.size.width * scale, height: image.size.height * scale)
      image.draw(in: CGRect(x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2, width: size.width, height: size.height))
      context.restoreGState()
      UIColor(white: 0.3, alpha: 1).setStroke()
      frame.lineWidth = 1.5
      frame.stroke()
    }
  }

  /// The name of a host, over its photos.
  final class HostHeader: UICollectionReusableView {
    static let identifier = "host"

    var text = ""

    override func draw(_ rect: CGRect) {
      text.draw(
        at: CGPoint(x: 8, y: bounds.height - 26),
        withAttributes: [.font: UIFont.boldSystemFont(ofSize: 17), .foregroundColor: UIColor(white: 0.2, alpha: 1)])
    }
  }

  /// The photos of each host as a section.
  final class Wall: NSObject, UICollectionViewDataSource, UICollectionViewDelegateFlowLayout {
    private let sections: [(host: String, photos: [Photo])]

    init(_ photos: [Photo]) {
      sections = Dictionary(grouping: photos) { $0.url.host() ?? "" }
        .map {
          (
            host: $0.key,
            photos: $0.value.sorted { $0.url.absoluteString.localizedStandardCompare($1.url.absoluteString) == .orderedAscending }
          )
        }
        .sorted { $0.host < $1.host }
    }

    func numberOfSections(in collectionView: UICollectionView) -> Int { sections.count }

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { sections[section].photos.count }

    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
      let cell = collectionView.dequeueReusableCell(withReuseIdentifier: PhotoCell.identifier, for: indexPath)
      (cell as? PhotoCell)?.image = sections[indexPath.section].photos[indexPath.item].image
      return cell
    }

    func collectionView(
      _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
      let header = collectionView.dequeueReusableSupplementaryView(
        ofKind: kind, withReuseIdentifier: HostHeader.identifier, for: indexPath)
      let section = sections[indexPath.section]
      (header as? HostHeader)?.text = "\(section.host): \(section.photos.count) photos"
      return header
    }

    func collectionView(
      _ collectionView: UICollectionView, layout collectionViewLayout: UICollectionViewLayout, sizeForItemAt indexPath: IndexPath
    ) -> CGSize {
      let size = sections[indexPath.section].photos[indexPath.item].image.size
      return CGSize(width: 150, height: 150 * size.height / size.width)
    }

    /// A collection view that is as high as its content.
    func view(width: CGFloat) -> UICollectionView {
      let layout = UICollectionViewFlowLayout()
      layout.minimumLineSpacing = 12
      layout.minimumInteritemSpacing = 10
      layout.sectionInset = UIEdgeInsets(top: 6, left: 14, bottom: 18, right: 14)
      layout.headerReferenceSize = CGSize(width: width, height: 36)
      let view = UICollectionView(frame: CGRect(x: 0, y: 0, width: width, height: 100), collectionViewLayout: layout)
      view.backgroundColor = UIColor(white: 0.96, alpha: 1)
      view.register(PhotoCell.self, forCellWithReuseIdentifier: PhotoCell.identifier)
      view.register(
        HostHeader.self, forSupplementaryViewOfKind: UICollectionView.elementKindSectionHeader,
        withReuseIdentifier: HostHeader.identifier)
      view.dataSource = self
      view.delegate = self
      view.layoutIfNeeded()
      view.frame.size.height = view.contentSize.height
      return view
    }
  }
#endif
