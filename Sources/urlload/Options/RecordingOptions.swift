/// The options for recordings of a run's transfers. Without the package trait `Inspector`, nothing can be recorded.
struct RecordingOptions: Sendable {
  /// Path of the HTTP Archive to write (`--har`).
  var har: String?
  /// Path of the picture of the phases to write (`--waterfall`).
  var waterfall: String?
  /// Path of the HTML page to write (`--report`).
  var report: String?
}
