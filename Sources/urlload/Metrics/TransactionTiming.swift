/// One request and its response as the waterfall shows them. Times are seconds from the beginning of the load.
struct TransactionTiming: Sendable, Equatable {
  /// A span of time with a name.
  struct Phase: Sendable, Equatable {
    var name: String
    var start: Double
    var end: Double
  }

  /// "GET https://host/path -> 200"
  var title: String
  /// What is known of the connection and the sizes.
  var facts: [String] = []
  /// The phases that took place, in order.
  var phases: [Phase] = []
}
