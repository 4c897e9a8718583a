import Foundation

/// One change that the app announces. Index paths of deleted and reloaded elements, and the origins of moves, are those before the update; index
/// paths of inserted elements, and the targets of moves, are those after it.
enum CollectionChange: Hashable, Sendable {
  case insertItem(IndexPath)
  case deleteItem(IndexPath)
  case reloadItem(IndexPath)
  case moveItem(from: IndexPath, to: IndexPath)
  case insertSection(Int)
  case deleteSection(Int)
  case reloadSection(Int)
  case moveSection(from: Int, to: Int)
}

/// The changes of an update, sorted by their kind.
struct CollectionChanges: Sendable {
  var insertedItems: Set<IndexPath> = []
  var deletedItems: Set<IndexPath> = []
  var reloadedItems: Set<IndexPath> = []
  var movedItems: [IndexPath: IndexPath] = [:]
  var insertedSections: Set<Int> = []
  var deletedSections: Set<Int> = []
  var reloadedSections: Set<Int> = []
  var movedSections: [Int: Int] = [:]

  init(_ changes: [CollectionChange]) {
    for change in changes {
      switch change {
      case .insertItem(let path): insertedItems.insert(path)
      case .deleteItem(let path): deletedItems.insert(path)
      case .reloadItem(let path): reloadedItems.insert(path)
      case .moveItem(let from, let to): movedItems[from] = to
      case .insertSection(let section): insertedSections.insert(section)
      case .deleteSection(let section): deletedSections.insert(section)
      case .reloadSection(let section): reloadedSections.insert(section)
      case .moveSection(let from, let to): movedSections[from] = to
      }
    }
    // An element that is deleted can't be reloaded or moved too.
    reloadedItems.subtract(deletedItems)
    reloadedSections.subtract(deletedSections)
    movedItems = movedItems.filter { !deletedItems.contains($0.key) }
    movedSections = movedSections.filter { !deletedSections.contains($0.key) }
  }
}
