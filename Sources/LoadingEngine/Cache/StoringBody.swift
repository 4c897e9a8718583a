import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat
import ProtocolRules
import Stores

/// A response's body that is stored while the app reads it, piece by piece.
///
/// The reader waits for both. If the app reviews the response, the whole body is kept in memory until it has answered, since the app may refuse,
/// or forbid the disk. The response is stored only when the body has ended as its framing says; one that was cut off, cancelled or abandoned
/// leaves nothing. Confined to the load that reads it.
final class StoringBody: BodyReader {
  private enum State {
    case writing(any BodyWriter)
    case stored(StoredResponse)
    /// Nothing is stored, or no longer.
    case idle
  }

  /// At which event the body stops reading its source.
  enum Ending {
    case withTheBody
    /// When the store takes no more: only the store wants this body.
    case withTheStoring
  }

  private let source: any BodyReader
  private let store: any ResponseStore
  private let review: CacheReview?
  private let client: any LoadClient
  private let limit: Int64
  private let context: LoadContext
  private let ending: Ending
  private var response: StoredResponse
  private var state: State
  /// The body so far, for the app's review; at most `limit` bytes.
  private var kept = Data()
  private var count: Int64 = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - limit: The most bytes of a body that is stored.
  ///   - review: Asks the app about the whole response; nil stores without asking.
  ///   - ending: Whether reading continues after the store takes no more.
  init(
    _ source: any BodyReader, _ response: StoredResponse, _ writer: any BodyWriter, _ store: any ResponseStore, limit: Int64,
    review: CacheReview?, ending: Ending, client: any LoadClient, context: LoadContext
  ) {
    self.source = source
    self.context = context
    self.client = client
    self.response = response
    self.store = store
    self.review = review
    self.limit = limit
    self.ending = ending
    state = .writing(writer)
  }

  deinit { if case .writing(let writer) = state { writer.abandon() } }

  func next() async throws(LoadError) -> ByteBuffer? {
    guard !hasEnded else { return nil }
    let piece: ByteBuffer?
    do throws(LoadError) {
      piece = try await source.next()
    } catch {
      drop()
      throw error
    }
    guard let piece else {
      hasEnded = true
      try await finish()
      return nil
    }
    do throws(LoadError) {
      try await write(piece)
    } catch {
      drop()
      throw error
    }
    if ending == .withTheStoring, case .idle = state { throw .cancelled() }
    return piece
  }

  private func write(_ piece: ByteBuffer) async throws(LoadError) {
    guard case .writing(let writer) = state else { return }
    // The app has turned the load into a download since it began: a body that is written into the app's file isn't stored a second time.
    guard client.download == nil else { return drop() }
    let length = piece.readableBytes
    count += Int64(length)
    // The body is longer than the store allows, and its length wasn't announced.
    guard count <= limit else { return drop() }
    let bytes = Data(received: piece)
    guard review == nil else {
      // A body that the store wouldn't take isn't collected for the review.
      guard count <= writer.largestBody else { return drop() }
      return kept.append(bytes)
    }
    // The store takes no more, because the body is too long or the disk full: the app gets the body all the same.
    if try await !append(bytes, to: writer) { state = .idle }
  }

  /// The number of bytes of a reviewed body that are passed to the writer at a time.
  private static let reviewedAtOnce = 1 << 20

  private func appendWhole(_ body: Data, to writer: any BodyWriter) async throws(LoadError) -> Bool {
    var rest = body
    while !rest.isEmpty {
      guard try await append(rest.prefix(StoringBody.reviewedAtOnce), to: writer) else { return false }
      rest = rest.dropFirst(StoringBody.reviewedAtOnce)
    }
    return true
  }

  private func append(_ bytes: Data, to writer: any BodyWriter) async throws(LoadError) -> Bool {
    guard writer.waits(toAppend: bytes.count) else { return await writer.append(bytes) }
    return try await AppWait.disk(context) { await writer.append(bytes) }
  }

  private func finish() async throws(LoadError) {
    guard case .writing(let writer) = state else { return }
    guard client.download == nil else { return drop() }
    response.bodyLength = count
    response.trailers = context.record.trailers
    guard let review else { return try await commit(response, writer) }
    let body = kept
    kept = Data()
    guard let answer = await review.answer(response, body) else { return drop() }
    response = answer.response
    guard response.storagePolicy != 2 else { return drop() }
    let stored = answer.body ?? body
    response.bodyLength = Int64(stored.count)
    writer.use(policy: response.storagePolicy)
    guard try await appendWhole(stored, to: writer) else {
      state = .idle
      return
    }
    try await commit(response, writer)
  }

  private func commit(_ response: StoredResponse, _ writer: any BodyWriter) async throws(LoadError) {
    if writer.waitsToCommit {
      try await AppWait<Void>.disk(context) { await writer.commit(response) }
    } else {
      await writer.commit(response)
    }
    state = .stored(response)
  }

  private func drop() {
    if case .writing(let writer) = state { writer.abandon() }
    state = .idle
    kept = Data()
  }

  func interrupt() { source.interrupt() }

  func abandon() {
    switch state {
    case .writing, .idle: drop()
    // All bytes have come and are stored, but the reader couldn't decode them, for instance because the content coding breaks off.
    case .stored(let response):
      store.remove(response)
      state = .idle
    }
    source.abandon()
  }
}
