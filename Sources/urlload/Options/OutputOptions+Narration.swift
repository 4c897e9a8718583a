extension OutputOptions {
  /// The object that reports the run's steps, for `-v` and `--trace`; nil without these options.
  /// - Throws: If the trace's file can't be made.
  func narrator(_ console: Console) throws(ToolFailure) -> Narrator? {
    let file = try trace.map { choice throws(ToolFailure) in try TraceFile(choice.path, choice.form) }
    guard verbose || file != nil else { return nil }
    return Narrator(
      Narration(verbose ? console : nil, file, masking: showsSecrets ? .nothing : .secrets, tellsFrames: verbosity > 1))
  }
}
