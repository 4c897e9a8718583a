/// Files that a run leaves about its transfers. Without the package trait `Inspector` there is nothing to record with.
struct RecordingOptions: Sendable {
  /// A file for an HTTP Archive.
  var har: String?
  /// A file for a picture of the phases.
  var waterfall: String?
  /// A file for a page.
  var report: String?
}
