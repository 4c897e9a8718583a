import Dispatch
import Foundation
import LoadingModel
import URLLoadingSystem

/// Where one body is written. A regular file is written under a temporary name beside its own and gets its name once it is complete.
///
/// Owned by a `Transfer`. Thread-safe: it is written on the delegate queue and discarded from anywhere.
final class Output: Sendable {
  enum Place {
    /// The file's name isn't known yet. What is written waits here: heads of redirects.
    case unnamed(Data)
    /// Standard output, or a file that isn't regular: there is nothing to rename.
    case direct(descriptor: Int32, name: String, isOwned: Bool)
    case temporary(UnfinishedFile)
    /// A file that is kept from run to run until it is complete.
    case part(PartFile)
    /// The body is complete, and is being written over the content of the file that is there.
    case overwriting(OverwrittenFile)
    case ended
  }

  struct State {
    var place: Place
    /// What is there.
    var part = ReceivedPart()
    var asked = PartRequest.whole
    /// Where in the whole the next byte received belongs.
    var position: Int64 = 0
    /// Where the body of a part must end; nil where the loader itself watches over the length.
    var end: Int64?
    /// The validator of the response that is being received: that of the file once its bytes are known to belong to it.
    var found: String?
    /// Whether what is known of a `PartFile` is written beside it.
    var isRecorded = false
    /// Whether the file of a `PartFile` has its part's name.
    var hasPartName = true
    var digest: StreamedDigest?
    /// Set where the body is shown to people rather than written.
    var presentation: Presentation?
    /// What is to be said of a file whose overwriting has failed.
    var overwritingFailure: String?

    init(_ place: Place) { self.place = place }
  }

  let state: Mutex<State>
  let plan: OutputPlan
  /// Entered while a file is written over.
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
      if plan.continuation != .none { return .part(try PartFile(for: path, url: plan.source)) }
      return .temporary(try UnfinishedFile(for: path, replaces: plan.mayReplace))
    }
  }

  /// Whether the body is written to a terminal.
  var isTerminal: Bool {
    state.withLock { state in
      if case .direct(let descriptor, _, _) = state.place { isatty(descriptor) == 1 } else { false }
    }
  }

  /// Everything is written: the file gets its name.
  /// - Returns: The name of a file.
  /// - Throws: If the file can't get it, or isn't what it should be.
  func commit() throws(ToolFailure) -> String? {
    try endPresentation()
    try check()
    let hasPartName = state.withLock(\.hasPartName)
    switch end() {
    case .unnamed, .ended: return nil
    case .direct(let descriptor, let name, let isOwned):
      if isOwned, close(descriptor) != 0 { throw WriteFailure.failure(name, errno) }
      return nil
    case .temporary(let file):
      if let overwritten = try file.commit() { try overwrite(overwritten) }
      return file.path
    case .overwriting(let file): return file.path
    case .part(let file):
      try file.commit(isPart: hasPartName)
      return file.path
    }
  }

  /// Writes the complete body over the content of a file. `finishOverwriting` waits for that meanwhile.
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
      // Where a signal ends the run meanwhile, the run doesn't wait for the error.
      state.withLock { $0.overwritingFailure = error.message }
      throw error
    }
  }

  /// Waits until a file that is being written over is complete; returns at once if there is none.
  func finishOverwriting() { overwriting.wait() }

  /// Ends without a file: removes what hasn't been committed, but leaves what can be resumed. May be called repeatedly.
  /// - Returns: What is left to tell: where the body is if a file hasn't been written over to its end, or why that failed.
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

  /// Compares the digest.
  private func check() throws(ToolFailure) {
    guard let checksum = plan.checksum, var digest = state.withLock(\.digest) else { return }
    let (place, length) = state.withLock { ($0.place, $0.part.length) }
    if let descriptor = place.file, let code = digest.update(from: descriptor, upTo: length) {
      throw WriteFailure.failure(plan.url, code)
    }
    guard digest.text != checksum.digest else { return }
    throw ToolFailure(.checksumMismatch, Checksum.mismatch(checksum, digest.text, keptAs: setAside()))
  }

  /// - Returns: The name under which the file is kept; nil if there is none.
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

  /// Ends what is shown.
  private func endPresentation() throws(ToolFailure) {
    let (presentation, place) = state.withLock { ($0.presentation, $0.place) }
    guard var presentation, let (descriptor, name) = place.target else { return }
    if let code = Descriptor.writeAll(presentation.end(), to: descriptor) { throw WriteFailure.failure(name, code) }
  }

  private func end() -> Place {
    state.withLock { state in
      // What is written over its file ends when that is done.
      if case .overwriting = state.place { return state.place }
      defer { state.place = .ended }
      return state.place
    }
  }
}

/// Where a body is to be written, and what is known of it before.
struct OutputPlan: Sendable {
  var destination: OutputDestination
  /// Whether the user named the file, so that one that is there may be replaced.
  var mayReplace = true
  var continuation = Continuation.none
  /// What is loaded.
  var source = URLIdentity("")
  var checksum: Checksum?
  /// Whether heads are written before the body: then offsets in the output aren't those of the body.
  var includesHead = false
  /// Where files without a folder of their own are.
  var folder: String?
  /// Whether no file is replaced: a number is added to the new one's name.
  var keepsFiles = false
  /// How the body is shown on standard output; nil for its bytes as they are.
  var presentation: PrettyForm?
}

extension OutputPlan {
  /// The URL as it may be shown, and kept on disk.
  var url: String { source.masked }

  /// The path of a file by the name that it is to have.
  func path(_ name: String) -> String {
    let path = folder.map { name.hasPrefix("/") ? name : ($0.hasSuffix("/") ? $0 : $0 + "/") + name } ?? name
    guard keepsFiles, continuation == .none, access(path, F_OK) == 0 else { return path }
    return (1...100).lazy.map { "\(path).\($0)" }.first { access($0, F_OK) != 0 } ?? path
  }

  /// Makes the folders that are missing.
  func createFolders() throws(ToolFailure) {
    let path: String
    switch destination {
    case .file(let file): path = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
    case .standardOutput, .remoteName, .suggestedName:
      guard let folder else { return }
      path = folder
    }
    do {
      try FileManager.default.createDirectory(atPath: path.isEmpty ? "." : path, withIntermediateDirectories: true)
    } catch {
      throw ToolFailure(.writeFailed, "the folder \(path) can't be made; choose another place with -o")
    }
  }
}

extension Output.Place {
  /// The descriptor of a file whose bytes can be read again.
  var file: Int32? {
    switch self {
    case .temporary(let file): file.descriptor
    case .part(let file): file.descriptor
    case .unnamed, .direct, .overwriting, .ended: nil
    }
  }

  /// Where bytes are written to, and what it is called in messages.
  var target: (descriptor: Int32, name: String)? {
    switch self {
    case .temporary(let file): (file.descriptor, file.path)
    case .part(let file): (file.descriptor, file.path)
    case .direct(let descriptor, let name, _): (descriptor, name)
    case .unnamed, .overwriting, .ended: nil
    }
  }
}
