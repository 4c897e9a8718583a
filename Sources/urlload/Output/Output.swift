import Dispatch
import Foundation
import LoadingModel
import URLLoadingSystem

/// The destination of one body. A regular file is written under a temporary name in the same folder, and renamed when it is complete.
///
/// Owned by a `Transfer`. Thread-safe: it is written on the delegate queue, and may be discarded on any thread.
final class Output: Sendable {
  enum Place {
    /// The file's name isn't known before the response (`-J`). The heads of redirects wait here.
    case unnamed(Data)
    /// Standard output, or a file that isn't regular: it is written directly.
    case direct(descriptor: Int32, name: String, isOwned: Bool)
    case temporary(UnfinishedFile)
    /// A part file, which is kept for later runs until it is complete.
    case part(PartFile)
    /// The body is complete, and is being written over the content of an existing file.
    case overwriting(OverwrittenFile)
    case ended
  }

  struct State {
    var place: Place
    /// The part of the body that is written.
    var part = ReceivedPart()
    var asked = PartRequest.whole
    /// Offset in the whole content of the next byte received.
    var position: Int64 = 0
    /// Offset at which the body of a range must end; nil if the loader checks the length.
    var end: Int64?
    /// The validator of the present response. It becomes the file's once its bytes are found to belong to the response.
    var found: String?
    /// Whether the response was a 304, which has no body: the file stays as it is (RFC 9110, 15.4.5).
    var isUnmodified = false
    /// Whether the record of a part file is written.
    var isRecorded = false
    /// Whether a part file has its part's name, and not the final one.
    var hasPartName = true
    var digest: StreamedDigest?
    /// The formatter of a body on standard output; nil if bytes are written unchanged.
    var presentation: Presentation?
    /// The message about an existing file whose overwriting has failed; nil if none has.
    var overwritingFailure: String?

    init(_ place: Place) { self.place = place }
  }

  let state: Mutex<State>
  let plan: OutputPlan
  /// Entered while an existing file is overwritten.
  private let overwriting = DispatchGroup()

  /// - Throws: If the destination can't be written.
  init(_ plan: OutputPlan) throws(ToolFailure) {
    self.plan = plan
    var state = State(try Output.place(plan))
    if case .part(let file) = state.place {
      if file.record?.segments != nil {
        file.leave()
        throw ToolFailure(.rangeUnavailable, "\(file.partPath) is loaded in segments; go on with it by --segments, or move it away")
      }
      state.part = file.part
      state.hasPartName = !file.isUnderItsOwnName
    }
    if case .after(let offset) = plan.continuation {
      if case .part(let file) = state.place, file.length < offset {
        file.leave()
        throw ToolFailure(
          .rangeUnavailable, "\(file.path) has \(file.length) bytes only, fewer than -C says; give -C - to go on from there")
      }
      state.part = ReceivedPart(length: offset)
    }
    state.digest = plan.checksum.map { StreamedDigest($0.algorithm) }
    self.state = Mutex(state)
  }

  private static func place(_ plan: OutputPlan) throws(ToolFailure) -> Place {
    switch plan.destination {
    case .remoteName, .suggestedName: return .unnamed(Data())
    case .standardOutput: return .direct(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)
    case .file(let path):
      if FileTarget.isSpecial(path) {
        return .direct(descriptor: try FileTarget.openSpecial(path), name: path, isOwned: true)
      }
      if plan.continuation != .none { return .part(try PartFile(for: path, url: plan.source, adopts: plan.adoption, plan.existing)) }
      return .temporary(try UnfinishedFile(for: path, plan.existing))
    }
  }

  /// Whether the body is written to a terminal.
  var isTerminal: Bool {
    state.withLock { state in
      if case .direct(let descriptor, _, _) = state.place { isatty(descriptor) == 1 } else { false }
    }
  }

  /// Completes the output: the file gets its final name, unless the response was a 304.
  /// - Returns: The path of the file; nil if none was written.
  /// - Throws: If the file can't be renamed, or doesn't have the digest of `--checksum`.
  func commit() throws(ToolFailure) -> String? {
    try endPresentation()
    if state.withLock(\.isUnmodified), !plan.includesHead {
      // There is no body that could have the digest.
      discard()
      return nil
    }
    try check()
    let hasPartName = state.withLock(\.hasPartName)
    switch end() {
    case .unnamed, .ended: return nil
    case .direct(let descriptor, let name, let isOwned):
      if isOwned, close(descriptor) != 0 { throw WriteFailure.failure(name, errno) }
      return nil
    case .temporary(let file):
      switch try file.commit() {
      case .named(let name): return name
      case .overwrites(let overwritten): try overwrite(overwritten)
      }
      return file.path
    case .overwriting(let file): return file.path
    case .part(let file):
      return try file.commit(isPart: hasPartName)
    }
  }

  /// Writes the complete body over the content of an existing file; `finishOverwriting` waits for that.
  /// - Throws: If it fails.
  func overwrite(_ file: OverwrittenFile) throws(ToolFailure) {
    overwriting.enter()
    state.withLock { $0.place = .overwriting(file) }
    defer {
      state.withLock { $0.place = .ended }
      overwriting.leave()
    }
    do throws(ToolFailure) {
      try file.write()
    } catch {
      // Kept for `discard`: if a signal ends the run meanwhile, the run doesn't wait for this error.
      state.withLock { $0.overwritingFailure = error.message }
      throw error
    }
  }

  /// Waits until an existing file that is being overwritten is complete; returns at once if there is none.
  func finishOverwriting() { overwriting.wait() }

  /// Ends the output without completing it: removes a temporary file, and keeps a part that can be resumed. May be called repeatedly.
  /// - Returns: A message if an existing file wasn't overwritten completely, with the place of the new content or the reason; nil otherwise.
  @discardableResult
  func discard() -> String? {
    if let failure = state.withLock(\.overwritingFailure) { return failure }
    switch end() {
    case .unnamed, .ended: break
    case .direct(let descriptor, _, let isOwned): if isOwned { close(descriptor) }
    case .temporary(let file): file.discard()
    case .part(let file): file.leave()
    case .overwriting(let file): return WriteFailure.interrupted(file.path, keptAs: file.keep())
    }
    return nil
  }

  /// Compares the body's digest with that of `--checksum`.
  private func check() throws(ToolFailure) {
    guard let checksum = plan.checksum, var digest = state.withLock(\.digest) else { return }
    let (place, length) = state.withLock { ($0.place, $0.part.length) }
    if let descriptor = place.file, let code = digest.update(from: descriptor, upTo: length) {
      throw WriteFailure.failure(plan.url, code)
    }
    guard digest.text != checksum.digest else { return }
    throw ToolFailure(.checksumMismatch, Checksum.mismatch(checksum, digest.text, keptAs: setAside()))
  }

  /// Renames a file with the wrong digest.
  /// - Returns: Its new path; nil if there is no file.
  private func setAside() -> String? {
    let hasPartName = state.withLock(\.hasPartName)
    switch end() {
    case .temporary(let file):
      return file.setAside(as: file.path + Checksum.suffix) ? file.path + Checksum.suffix : nil
    case .part(let file):
      file.setAside(as: file.path + Checksum.suffix, isPart: hasPartName)
      return file.path + Checksum.suffix
    case .unnamed, .ended, .direct, .overwriting: return nil
    }
  }

  /// Writes the end of a formatted body.
  private func endPresentation() throws(ToolFailure) {
    let (presentation, place) = state.withLock { ($0.presentation, $0.place) }
    guard var presentation, let (descriptor, name) = place.target else { return }
    if let code = Descriptor.writeAll(presentation.end(), to: descriptor) { throw WriteFailure.failure(name, code) }
  }

  private func end() -> Place {
    state.withLock { state in
      // A file that is being overwritten is left to end by itself.
      if case .overwriting = state.place { return state.place }
      defer { state.place = .ended }
      return state.place
    }
  }
}

/// The destination of a body, and its options.
struct OutputPlan: Sendable {
  var destination: OutputDestination
  /// Whether an existing file may be replaced, because the user has named it.
  var mayReplace = true
  var continuation = Continuation.none
  /// What of the existing files counts as a part that is continued.
  var adoption = PartFile.Adoption.ownName
  /// The URL that is loaded.
  var source = URLIdentity("")
  var checksum: Checksum?
  /// Whether heads are written before the body, so that offsets in the file aren't those of the body.
  var includesHead = false
  /// The folder of files without a folder in their name (`--output-dir`); nil for the current one.
  var folder: String?
  /// Whether no existing file is replaced: the new file's name gets a number (`--no-clobber`).
  var keepsFiles = false
  /// How the body is formatted on standard output; nil to write its bytes unchanged.
  var presentation: PrettyForm?
}

extension OutputPlan {
  /// The URL without secrets, for messages and records.
  var url: String { source.masked }

  /// What becomes of an existing file of the same name.
  var existing: ExistingFile { keepsFiles ? .numbered : mayReplace ? .replaced : .refused }

  /// The path of a file with this name, with the folder.
  func path(_ name: String) -> String {
    folder.map { name.hasPrefix("/") ? name : ($0.hasSuffix("/") ? $0 : $0 + "/") + name } ?? name
  }

  /// Makes the folders of the destination that don't exist (`--create-dirs`).
  func createFolders() throws(ToolFailure) {
    let path: String
    switch destination {
    case .file(let file): path = String(FileTarget.split(file).directory)
    case .standardOutput, .remoteName, .suggestedName:
      guard let folder else { return }
      path = folder
    }
    // Each is made as the path is written: the system finds "x/y/.." only if there is "x/y".
    let whole = path.hasSuffix("/") ? path : path + "/"
    for end in whole.indices where whole[end] == "/" && end > whole.startIndex { mkdir(String(whole[..<end]), 0o777) }
    var status = stat()
    guard path.isEmpty || stat(whole, &status) == 0 else {
      throw ToolFailure(.writeFailed, "the folder \(path) can't be made; choose another place with -o")
    }
  }
}

extension Output.Place {
  /// The descriptor of a file whose written bytes can be read again; nil if there is none.
  var file: Int32? {
    switch self {
    case .temporary(let file): file.descriptor
    case .part(let file): file.descriptor
    case .unnamed, .direct, .overwriting, .ended: nil
    }
  }

  /// The descriptor that bytes are written to, and its name for messages; nil if nothing can be written.
  var target: (descriptor: Int32, name: String)? {
    switch self {
    case .temporary(let file): (file.descriptor, file.path)
    case .part(let file): (file.descriptor, file.path)
    case .direct(let descriptor, let name, _): (descriptor, name)
    case .unnamed, .overwriting, .ended: nil
    }
  }
}
