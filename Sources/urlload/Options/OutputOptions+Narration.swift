extension OutputOptions {
  /// What tells the steps of a run; nil where nothing is told.
  /// - Throws: If the trace's file can't be made.
  func narrator(_ console: Console) throws(ToolFailure) -> Narrator? {
    let file = try trace.map { choice throws(ToolFailure) in try TraceFile(choice.path, choice.form) }
    guard verbose || file != nil else { return nil }
    return Narrator(
      Narration(verbose ? console : nil, file, masking: showsSecrets ? .nothing : .secrets, tellsFrames: verbosity > 1))
  }
}
