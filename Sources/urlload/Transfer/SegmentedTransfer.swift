import Foundation
import LoadingModel
import URLLoadingSystem

/// Loads one file in several ranges at the same time, each into its place in a part file that is kept for later runs until it is complete.
final class SegmentedTransfer: Sendable {
  static let changed = ToolFailure(
    .rangeUnavailable, "the resource keeps changing while it is loaded, so its parts don't belong together; load it without --segments")
  private static let rounds = 3

  private let request: URLRequest
  private let plan: RequestPlan
  private let options: OutputOptionValues
  private let retry: RetrySchedule
  private let count: Int
  private let output: OutputPlan
  private let console: Console
  private let file: PartFile
  private let meter: ProgressMeter?
  private let interruption: Interruption
  private let seen = Mutex(SegmentOutcome())

  /// The results of the requests that have ended.
  var outcome: SegmentOutcome { seen.withLock { $0 } }

  /// - Throws: If the file can't be written.
  init(
    _ request: URLRequest, _ plan: RequestPlan, _ options: OutputOptionValues, _ retry: RetrySchedule, count: Int, path: String,
    _ output: OutputPlan, _ console: Console, _ interruption: Interruption, _ board: ProgressBoard?
  ) throws(ToolFailure) {
    self.request = request
    self.plan = plan
    self.options = options
    self.retry = retry
    self.count = count
    self.output = output
    self.console = console
    self.interruption = interruption
    file = try PartFile(for: path, url: output.source, adopts: .partOnly, output.existing)
    meter = options.showsProgress && console.showsProgress ? ProgressMeter(console, board: board, name: path) : nil
  }

  /// Loads all segments, checks the file and renames it.
  /// - Returns: The file's path; nil if the server doesn't serve ranges with a strong validator, so that the file must be loaded as a whole.
  /// - Throws: If the load fails; loaded segments are kept in the part file.
  func run(in session: URLSession) async throws(ToolFailure) -> String? {
    do throws(ToolFailure) {
      var known = file.record
      for _ in 0..<SegmentedTransfer.rounds {
        guard let facts = try await probe(session), let total = facts.total else {
          if known?.segments != nil { throw SegmentedTransfer.rangesEnded(file) }
          file.leave()
          return nil
        }
        if let most = options.maxFileSize, total > most { throw Fetch.isTooLong(most) }
        let record = try prepare(known, facts, total)
        meter?.start()
        meter?.expect(from: (record.segments ?? []).reduce(0) { $0 + $1.done }, total: total)
        let journal = SegmentJournal(file, record)
        let failure = await load(journal, session)
        if failure == nil {
          return try finish(total)
        }
        try journal.save()
        known = journal.record
        if let failure, failure != SegmentedTransfer.changed { throw failure }
        // The content has changed: without the old validator, the next round begins with its new version.
        known?.validator = nil
      }
      throw SegmentedTransfer.changed
    } catch {
      meter?.abandon()
      file.leave()
      throw error
    }
  }

  private static func rangesEnded(_ file: PartFile) -> ToolFailure {
    ToolFailure(
      .rangeUnavailable, "the server doesn't serve ranges any more, so \(file.partPath) can't be gone on with; move it away to start over")
  }

  /// Asks for the first byte, to find out whether the server serves ranges.
  /// - Returns: Length and validator of the content; nil if it can't be loaded in ranges.
  private func probe(_ session: URLSession) async throws(ToolFailure) -> PartFacts? {
    let receiver = ProbeReceiver()
    try await fetching(session, receiver) { request in request.setValue("bytes=0-0", forHTTPHeaderField: "Range") }
    guard let facts = receiver.facts, facts.status == 206, facts.validator != nil, facts.isPlain,
      case .part(let range, let total?)? = facts.contentRange, range == 0..<1, total > 0
    else { return nil }
    return facts
  }

  /// Divides the file into segments, or takes over the division of an earlier run.
  private func prepare(_ known: PartRecord?, _ facts: PartFacts, _ total: Int64) throws(ToolFailure) -> PartRecord {
    var record = PartRecord(url: output.url, key: output.source.key, validator: facts.validator, total: total)
    if let known, known.validator == facts.validator, let segments = known.segments,
      SegmentPlan.isSound(segments, total: total, length: file.length)
    {
      record.segments = segments
    } else {
      let isPrefix = known?.validator == facts.validator && known?.segments == nil && file.length <= total
      let present = isPrefix ? file.length : 0
      if ftruncate(file.descriptor, off_t(present)) != 0 { throw WriteFailure.failure(file.path, errno) }
      record.segments = SegmentPlan.segments(total: total, present: present, count: count)
    }
    // The record is written before the file gets its full length, by which it would look complete.
    try file.save(record)
    let code = posix_fallocate(file.descriptor, 0, off_t(total))
    if code != 0, code != EINVAL, code != EOPNOTSUPP { throw WriteFailure.failure(file.path, code) }
    if ftruncate(file.descriptor, off_t(total)) != 0 { throw WriteFailure.failure(file.path, errno) }
    return record
  }

  private func load(_ journal: SegmentJournal, _ session: URLSession) async -> ToolFailure? {
    await withTaskGroup(of: Void.self) { group in
      for index in (journal.record.segments ?? []).indices where !journal.segment(index).isComplete {
        group.addTask {
          do throws(ToolFailure) { try await self.load(index, journal, session) } catch { journal.fail(error) }
        }
      }
    }
    return journal.failure
  }

  private func load(_ index: Int, _ journal: SegmentJournal, _ session: URLSession) async throws(ToolFailure) {
    let receiver = SegmentReceiver(journal, index, meter)
    while !journal.segment(index).isComplete {
      let before = journal.segment(index).done
      try await fetching(session, receiver) { request in
        let segment = journal.segment(index)
        request.setValue("bytes=\(segment.begin + segment.done)-\(segment.end - 1)", forHTTPHeaderField: "Range")
        request.setValue(journal.record.validator, forHTTPHeaderField: "If-Range")
      }
      if journal.segment(index).done == before { throw ToolFailure(.connectionLost, "the server sent nothing of what is missing") }
    }
  }

  /// Makes one request, with further attempts as `--retry` allows.
  private func fetching(
    _ session: URLSession, _ receiver: any BodyReceiver, _ change: @Sendable (inout URLRequest) -> Void
  ) async throws(ToolFailure) {
    let begin = DispatchTime.now()
    var tries = 1
    while true {
      var request = request
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      change(&request)
      let chance = RetryChance(retry, tries: tries, since: begin)
      do throws(ToolFailure) {
        let fetch = Fetch(
          request, plan, options, console, receiver, meter: nil, chance: chance,
          observe: { metrics, response in
            self.seen.withLock { $0.take(metrics, response, countsBody: receiver is SegmentReceiver) }
          })
        if let failure = try await fetch.run(in: session) { throw failure }
        return
      } catch {
        guard interruption.status == nil, let delay = chance.delay(after: error) else { throw error }
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        if let signal = interruption.status { throw ToolFailure(signal, "") }
        tries += 1
      }
    }
  }

  /// All segments are loaded: checks the digest, and renames the file.
  /// - Returns: Its path.
  private func finish(_ total: Int64) throws(ToolFailure) -> String {
    if let checksum = output.checksum {
      var digest = StreamedDigest(checksum.algorithm)
      if let code = digest.update(from: file.descriptor, upTo: total) { throw WriteFailure.failure(file.path, code) }
      if digest.text != checksum.digest {
        let name = file.path + Checksum.suffix
        throw ToolFailure(.checksumMismatch, Checksum.mismatch(checksum, digest.text, keptAs: file.moveAside(to: name) ? name : nil))
      }
    }
    let name = try file.commit(isPart: true)
    meter?.finish()
    if options.namesOutput { console.line("urlload: saved as \(Printable.text(name))") }
    return name
  }
}
