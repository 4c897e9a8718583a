/// What a collection view knows of its collection: each case includes those before it.
enum CollectionKnowledge {
  /// Nothing: the data source has to be asked for its counts.
  case nothing
  /// The counts: the layout has to be prepared.
  case counts
  /// The layout: prepared, and its content size read.
  case layout

  /// The layout has become invalid.
  mutating func loseLayout() {
    switch self {
    case .layout: self = .counts
    case .nothing, .counts: break
    }
  }
}

/// What a collection view is doing; it doesn't begin to lay out while it does.
enum CollectionActivity {
  case none
  case preparing
  case displaying
  case updating
}
