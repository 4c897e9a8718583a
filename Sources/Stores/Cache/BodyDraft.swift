import Foundation
import LoadingModel

/// Receives a response's body for the cache: in memory while it is small, in a file once it is larger.
///
/// Used by one load at a time. Its file is written on the receiving thread while the load waits, or removed there later.
final class BodyDraft: BodyWriter {
  /// Largest body, in bytes, that is stored in the database instead of a file of its own, which would have to be made, synced and opened.
  static let rowBodyLimit = 16 * 1024
  /// Bytes gathered in memory before they are written to the file in whole blocks, so that many pieces take one system call.
  private static let writtenAtOnce = BodyChecksums.blockSize

  private enum Phase {
    case receiving
    case ended
  }

  private struct State {
    var phase = Phase.receiving
    var limits: BodyLimits
    /// nil if the body is to be kept in memory alone.
    var disk: CacheDisk?
    var length: Int64 = 0
    /// Bytes that aren't in the file yet.
    var gathered = Data()
    /// The whole body so far, while it is small enough to be kept in memory; nil once it is larger.
    var kept: Data? = Data()
    var file: UnfinishedBody?
  }

  private let id: Int64
  private let cache: ResponseCache
  private let state: Mutex<State>

  init(id: Int64, cache: ResponseCache, limits: BodyLimits, disk: CacheDisk?) {
    self.id = id
    self.cache = cache
    state = Mutex(State(limits: limits, disk: disk))
  }

  deinit { discard() }

  private enum Step {
    case more
    case refuse
    case write(Data, UnfinishedBody?, CacheDisk)
  }

  var largestBody: Int64 { state.withLock { $0.limits.largest } }

  func use(policy: Int) {
    let limits = cache.limits(policy: policy)
    state.withLock { state in
      state.limits = limits
      if policy != 0 { state.disk = nil }
    }
  }

  nonisolated(nonsending) func append(_ bytes: Data) async -> Bool {
    switch state.withLock({ take(bytes, &$0) }) {
    case .more: return true
    case .refuse:
      abandon()
      return false
    case .write(let data, let file, let disk):
      guard await write(data, file, disk) else {
        abandon()
        return false
      }
      return true
    }
  }

  private func take(_ bytes: Data, _ state: inout State) -> Step {
    guard case .receiving = state.phase else { return .refuse }
    state.length += Int64(bytes.count)
    guard state.length <= state.limits.largest else { return .refuse }
    if state.disk != nil { state.gathered.append(bytes) }
    if state.length <= Int64(state.limits.kept) {
      state.kept?.append(bytes)
    } else {
      state.kept = nil
    }
    guard let disk = state.disk else { return state.kept == nil ? .refuse : .more }
    // Small bodies go into the database: no file is begun for them.
    guard state.length > Int64(BodyDraft.rowBodyLimit), state.gathered.count >= BodyDraft.writtenAtOnce else { return .more }
    return .write(wholeBlocks(&state), state.file, disk)
  }

  /// Takes the gathered bytes except those of an incomplete last block, which stay.
  private func wholeBlocks(_ state: inout State) -> Data {
    let rest = state.gathered.count % BodyChecksums.blockSize
    defer { state.gathered = Data(state.gathered.suffix(rest)) }
    return rest == 0 ? state.gathered : Data(state.gathered.dropLast(rest))
  }

  private func gathered(_ state: inout State) -> Data {
    defer { state.gathered = Data() }
    return state.gathered
  }

  nonisolated(nonsending) private func write(_ data: Data, _ file: UnfinishedBody?, _ disk: CacheDisk) async -> Bool {
    let id = id
    let written = await disk.threads.receiving { () -> UnfinishedBody? in
      // Opening the cache waits for the writing thread; if it is already open, its folder is used directly.
      let folder = file == nil ? disk.known?.folder ?? disk.writeNow { $0?.folder } : nil
      do {
        guard var open = try file ?? folder?.begin(id) else { return nil }
        do { try open.append(data) } catch {
          // A file that the draft's state already has is removed by `abandon`.
          if file == nil { open.discard() }
          throw error
        }
        return open
      } catch {
        disk.note(failed: error)
        return nil
      }
    }
    guard let written else { return false }
    let isWanted = state.withLock { state in
      // The draft was abandoned during the write, which also removes a file that the state already had.
      guard case .receiving = state.phase else { return false }
      state.file = written
      return true
    }
    if !isWanted, file == nil { disk.threads.later { written.discard() } }
    return isWanted
  }

  nonisolated(nonsending) func commit(_ final: StoredResponse) async {
    let last = state.withLock { state -> (Data, UnfinishedBody?, CacheDisk)? in
      guard case .receiving = state.phase, let disk = state.disk, state.length > Int64(BodyDraft.rowBodyLimit), !state.gathered.isEmpty
      else { return nil }
      return (gathered(&state), state.file, disk)
    }
    if let (data, file, disk) = last, await !write(data, file, disk) { return abandon() }
    let ready = state.withLock { state -> State? in
      guard case .receiving = state.phase else { return nil }
      state.phase = .ended
      defer { state = State(phase: .ended, limits: state.limits) }
      return state
    }
    guard let ready else { return }
    var response = final
    response.id = id
    response.bodyLength = ready.length
    // The object would keep a decoded body in memory that the cache doesn't count.
    response.object = nil
    if let file = ready.file {
      cache.store(response, .file(file, length: ready.length), kept: ready.kept, from: .load)
    } else {
      cache.store(response, .bytes(ready.kept ?? ready.gathered), kept: ready.kept, from: .load)
    }
  }

  func waits(toAppend count: Int) -> Bool {
    state.withLock { state in
      state.disk != nil && state.length + Int64(count) > Int64(BodyDraft.rowBodyLimit)
        && state.gathered.count + count >= BodyDraft.writtenAtOnce
    }
  }

  var waitsToCommit: Bool {
    state.withLock { state in state.disk != nil && state.length > Int64(BodyDraft.rowBodyLimit) && !state.gathered.isEmpty }
  }

  func abandon() { discard() }

  private func discard() {
    let (wasReceiving, file, disk) = state.withLock { state -> (Bool, UnfinishedBody?, CacheDisk?) in
      let wasReceiving = if case .receiving = state.phase { true } else { false }
      defer { state = State(phase: .ended, limits: state.limits, kept: nil) }
      return (wasReceiving, state.file, state.disk)
    }
    if wasReceiving { cache.givenUp(id) }
    if let file { disk?.threads.later { file.discard() } }
  }
}

/// How large a body may be, in bytes.
struct BodyLimits: Sendable {
  /// Largest body that is stored at all.
  var largest: Int64
  /// Largest body that is also kept in memory.
  var kept: Int
}
