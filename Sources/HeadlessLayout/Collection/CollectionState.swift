/// How much a collection view knows about its collection. Each case includes the cases before it.
enum CollectionKnowledge {
  /// Nothing is known: the data source has to be asked for the counts.
  case nothing
  /// The counts are known; the layout has to be prepared.
  case counts
  /// The layout has been prepared and its content size read.
  case layout

  /// Called when the layout has become invalid: only the counts remain known.
  mutating func loseLayout() {
    switch self {
    case .layout: self = .counts
    case .nothing, .counts: break
    }
  }
}

/// The operation that a collection view is performing. It doesn't begin another layout during one.
enum CollectionActivity {
  case none
  case preparing
  case displaying
  case updating
}
