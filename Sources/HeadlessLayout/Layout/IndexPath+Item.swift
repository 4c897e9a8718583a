import Foundation

// Foundation has these members only on Apple's platforms.

extension IndexPath {
  /// The index path of an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The index path of a row in a section: the same as that of an item.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// The index of the section; `NSNotFound` if the index path is empty.
  public var section: Int {
    get { isEmpty ? NSNotFound : self[0] }
    set { self = replacing(0, with: newValue) }
  }

  /// The index of the item in its section; `NSNotFound` if the index path has no second index.
  public var item: Int {
    get { count > 1 ? self[1] : NSNotFound }
    set { self = replacing(1, with: newValue) }
  }

  /// The index of the row in its section: the same as `item`.
  public var row: Int {
    get { item }
    set { item = newValue }
  }

  private func replacing(_ position: Int, with index: Int) -> IndexPath {
    var indexes = map { $0 }
    while indexes.count <= position { indexes.append(NSNotFound) }
    indexes[position] = index
    return IndexPath(indexes: indexes)
  }
}
