/// The phases of one request and its response, for the waterfall. Times are seconds from the beginning of the load.
struct TransactionTiming: Sendable, Equatable {
  /// A phase with its name, start and end.
  struct Phase: Sendable, Equatable {
    var name: String
    var start: Double
    var end: Double
  }

  /// Method, URL and status, as in "GET https://host/path -> 200".
  var title: String
  /// Lines about the connection and the sizes.
  var facts: [String] = []
  /// The phases that took place, in order; others are left out.
  var phases: [Phase] = []
}
