extension LoadTable {
  #if Inspector
    static let recordingEntries: [OptionEntry<RecordingOptions>] = [
      .value("har", takes: .file, help: "Write the transfers to this file as an HTTP Archive (HAR 1.2), without credentials.") {
        options, text in
        options.har = text
      }.inCurl(.none),
      .value("waterfall", takes: .file, help: "Draw the transfers' phases in this file; the name ends in .svg or .png.") {
        options, text throws(UsageError) in
        guard WaterfallFormat(of: text) != nil else { throw UsageError(WaterfallFormat.advice) }
        options.waterfall = text
      }.inCurl(.none),
      .value("report", takes: .file, help: "Write the transfers to this file as a page that needs nothing else.") { options, text in
        options.report = text
      }.inCurl(.none),
    ]
  #else
    /// Without the package trait `Inspector`, urlload can't record.
    static let recordingEntries: [OptionEntry<RecordingOptions>] = []
  #endif
}
