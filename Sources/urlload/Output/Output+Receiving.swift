import Foundation
import URLLoadingSystem

/// Receives a body into the output, from its beginning or after a part that exists.
///
/// Every step reads the state, acts without the lock, and writes the state: only `discard` may change it meanwhile.
extension Output: BodyReceiver {
  /// The next request according to the state: for the whole content, or for the rest after the existing part.
  /// - Throws: If the written part can be neither continued nor removed.
  func nextRequest() throws(ToolFailure) -> PartRequest {
    var (place, part) = state.withLock { ($0.place, $0.part) }
    if case .after(let offset) = plan.continuation, part.length == offset, part.validator == nil { return asking(.after(offset)) }
    switch place {
    case .part: return asking(PartRequest(part))
    case .unnamed: return asking(.whole)
    case .temporary where plan.includesHead: break
    case .temporary, .direct, .overwriting, .ended:
      if part.length == 0 || part.validator != nil && !plan.includesHead { return asking(PartRequest(part)) }
    }
    // Bytes of an earlier attempt without a validator can't be continued: they are removed.
    guard case .temporary(let file) = place else {
      throw ToolFailure(
        .connectionLost, "a part has been written to \(place.target?.name ?? "the output") already, so it can't be tried again")
    }
    try Output.cut(file.descriptor, to: 0, name: file.path)
    part = ReceivedPart()
    state.withLock { state in
      state.part = part
      state.digest = plan.checksum.map { StreamedDigest($0.algorithm) }
    }
    return asking(.whole)
  }

  private func asking(_ request: PartRequest) -> PartRequest {
    state.withLock { $0.asked = request }
    return request
  }

  /// Whether the received body of a range ends before the whole content does.
  var isShort: Bool { state.withLock { state in state.end.map { state.position < $0 } ?? false } }

  /// Number of bytes that are written.
  var length: Int64 { state.withLock(\.part.length) }

  func takes(status: Int) -> Bool {
    let (asked, isPart) = state.withLock { state in
      if case .part = state.place { (state.asked, true) } else { (state.asked, false) }
    }
    if status == 416 { return asked.offset != nil || !isPart }
    // An error page mustn't be appended to a part, nor be taken for the file.
    return asked == .whole && !isPart
  }

  var asksForRest: Bool { state.withLock { $0.asked.offset != nil } }

  func begin(_ response: URLResponse) throws(ToolFailure) -> Reception {
    try chooseName(response)
    present(response)
    let facts = PartFacts(response)
    let (asked, part) = state.withLock { ($0.asked, $0.part) }
    switch PartDecision.decide(asked, part, facts) {
    case .complete: return .enough
    case .refuse(let status, let message): throw ToolFailure(status, message)
    case .startOver:
      try forget()
      return start(at: 0, facts, part: ReceivedPart())
    case .join(let offset):
      if case .after(let length) = asked, let file = state.withLock({ $0.place.file }) { try Output.cut(file, to: length, name: plan.url) }
      if case .rest(_, let validator) = asked, facts.validator != validator, offset < part.length { try demandFile() }
      return start(at: offset, facts, part: part)
    }
  }

  /// Throws if bytes were written that can't be read again, so that they can't be compared with the server's.
  private func demandFile() throws(ToolFailure) {
    guard case .direct(_, let name, _) = state.withLock({ $0.place }) else { return }
    throw ToolFailure(.connectionLost, "the server doesn't say whether it is still the file of which a part has been written to \(name)")
  }

  private func start(at offset: Int64, _ facts: PartFacts, part: ReceivedPart) -> Reception {
    state.withLock { state in
      let isJoined = facts.status == 206 && state.asked.offset != nil
      // A 206 for a range that the user has asked for with `-r` is the whole content to be written.
      let isWhole = facts.status == 200
      state.position = offset
      state.part = part
      state.part.total = isJoined || isWhole ? facts.total : nil
      state.end = isJoined ? max(part.length, facts.total ?? 0) : nil
      state.found = isJoined ? facts.validator ?? part.validator : isWhole ? facts.validator : nil
      state.isRecorded = false
      state.isUnmodified = facts.status == 304
      return .body(from: offset, total: state.part.total)
    }
  }

  private func present(_ response: URLResponse) {
    guard let form = plan.presentation else { return }
    state.withLock { state in
      guard case .direct(STDOUT_FILENO, _, _) = state.place else { return }
      state.presentation = Presentation(form, isTerminal: isatty(STDOUT_FILENO) == 1, response)
    }
  }

  private func chooseName(_ response: URLResponse) throws(ToolFailure) {
    guard case .unnamed(let head) = state.withLock({ $0.place }) else { return }
    // The server has chosen the name, so that an existing file isn't replaced.
    let file = try UnfinishedFile(for: plan.path(RemoteName(suggestedBy: response).name), plan.keepsFiles ? .numbered : .refused)
    state.withLock { $0.place = .temporary(file) }
    try include(head)
  }

  /// The existing part can't be continued: empties the file, or throws if that isn't possible.
  private func forget() throws(ToolFailure) {
    let place = state.withLock(\.place)
    switch place {
    case .unnamed, .overwriting, .ended: break
    case .direct(_, let name, _):
      throw ToolFailure(.connectionLost, "the resource has changed, and a part of the old one has been written to \(name) already")
    case .part(let file):
      // A file under its final name may be the only copy of an old version that the user has: it isn't emptied.
      if !state.withLock(\.hasPartName) {
        throw ToolFailure(.rangeUnavailable, "\(file.path) isn't a part of what the server has; load it without -C to start over")
      }
      try Output.cut(file.descriptor, to: 0, name: file.path)
    case .temporary(let file): try Output.cut(file.descriptor, to: 0, name: file.path)
    }
    state.withLock { $0.digest = plan.checksum.map { StreamedDigest($0.algorithm) } }
  }

  func include(_ head: Data) throws(ToolFailure) {
    if case .unnamed(let before) = state.withLock({ $0.place }) {
      state.withLock { $0.place = .unnamed(before + head) }
      return
    }
    guard let (descriptor, name) = state.withLock({ $0.place.target }) else { return }
    let head = plan.presentation?.colours == true && descriptor == STDOUT_FILENO ? HeadColours.coloured(head, .ofTerminal) : head
    if let code = Descriptor.writeAll(head, to: descriptor) { throw WriteFailure.failure(name, code) }
  }

  /// Writes a piece of the body. Bytes that the existing part has are compared with it instead.
  func write(_ data: Data) throws(ToolFailure) {
    let (place, part, position) = state.withLock { ($0.place, $0.part, $0.position) }
    guard let (descriptor, name) = place.target else { return }
    let known = Int(min(Int64(data.count), max(0, part.length - position)))
    if known > 0, let file = place.file { try compare(data.prefix(known), with: file, at: position) }
    let fresh = data.dropFirst(known)
    if !fresh.isEmpty {
      if known > 0 || !state.withLock(\.isRecorded) { try prepareToAppend(place, part) }
      if let code = Descriptor.writeAll(try presented(fresh), to: descriptor) { throw WriteFailure.failure(name, code) }
    }
    state.withLock { state in
      state.position += Int64(data.count)
      state.part.length += Int64(fresh.count)
      if place.file == nil || state.digest?.length == part.length { state.digest?.update(fresh) }
    }
  }

  /// The piece formatted for standard output; the piece itself if it isn't formatted.
  private func presented(_ data: Data) throws(ToolFailure) -> Data {
    guard var presentation = state.withLock({ $0.presentation }) else { return data }
    let shown = try presentation.take(data)
    state.withLock { $0.presentation = presentation }
    return shown
  }

  /// Whether no more of the body is shown, because a long one is cut on a terminal.
  var isFull: Bool { state.withLock { $0.presentation?.isFull == true } }

  /// The message about a body that wasn't shown to its end; nil for none.
  var hint: String? { state.withLock { $0.presentation?.hint } }

  /// The existing part has been found to be the beginning of this body: prepares the file for appending, and writes its record.
  private func prepareToAppend(_ place: Place, _ part: ReceivedPart) throws(ToolFailure) {
    if let file = place.file, !plan.includesHead, lseek(file, off_t(part.length), SEEK_SET) < 0 {
      throw WriteFailure.failure(plan.url, errno)
    }
    if case .part(let file) = place {
      if !state.withLock(\.hasPartName) {
        try file.becomePart()
        state.withLock { $0.hasPartName = true }
      }
      try file.save(PartRecord(url: plan.url, key: plan.source.key, validator: state.withLock(\.found), total: part.total))
    }
    state.withLock { state in
      state.part.validator = state.found
      state.isRecorded = true
    }
    // The digest is computed over the existing part first; later bytes are added as they come.
    guard plan.checksum != nil, let file = place.file, var digest = state.withLock(\.digest) else { return }
    if let code = digest.update(from: file, upTo: part.length) { throw WriteFailure.failure(plan.url, code) }
    state.withLock { $0.digest = digest }
  }

  private func compare(_ data: Data, with file: Int32, at offset: Int64) throws(ToolFailure) {
    if case .success(let there) = Descriptor.read(file, at: offset, count: data.count), there.elementsEqual(data) { return }
    throw ToolFailure(
      .rangeUnavailable,
      "what is there differs from what the server has after byte \(offset), so it isn't a part of it; "
        + "move it away, or load it without -C to start over")
  }

  private static func cut(_ descriptor: Int32, to length: Int64, name: String) throws(ToolFailure) {
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
      throw WriteFailure.failure(name, errno)
    }
  }
}
