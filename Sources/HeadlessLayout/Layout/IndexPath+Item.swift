import Foundation

// Foundation has these on Apple's platforms only, where UIKit adds them.

extension IndexPath {
  /// The path of an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The path of a row in a section: the same as an item's.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// The number of the section; `NSNotFound` if the path is empty.
  public var section: Int {
    get { isEmpty ? NSNotFound : self[0] }
    set { self = replacing(0, with: newValue) }
  }

  /// The number of the item in its section; `NSNotFound` if the path has no second index.
  public var item: Int {
    get { count > 1 ? self[1] : NSNotFound }
    set { self = replacing(1, with: newValue) }
  }

  /// The number of the row in its section: the same as the item's.
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
