import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

extension Loaded {
  /// Bytes of an unwanted body that are read to keep its connection; a longer one costs the connection.
  private static let discardLimit = 64 * 1024
  /// Bytes that are read for a connection that nothing can replace.
  private static let clearingLimit = 4 * 1024 * 1024

  /// Reads the body of a response that another request follows. It isn't delivered: if it breaks, or its end doesn't come soon, that costs the
  /// connection and not the load.
  func discardBody(_ context: LoadContext) async throws(LoadError) {
    switch framing {
    // Nothing to gain: the end of such a body is the end of its connection, or too far away.
    case .untilClose where proposedRedirect == nil: body.abandon()
    case .length(let length) where length > Loaded.discardLimit: body.abandon()
    case .untilClose, .length, .chunked, .none: try await drain(context)
    }
  }

  /// Reads the body of a response whose connection the next request needs. Nil once that is done; the response as it came if the end of
  /// the body is too far away, or is the connection's.
  func clearingConnection(_ context: LoadContext) async throws(LoadError) -> Loaded? {
    var keepsBytes = false
    switch framing {
    case .untilClose: return self
    case .length(let length) where length > Loaded.clearingLimit: return self
    case .chunked: keepsBytes = true
    case .length, .none: break
    }
    var (count, kept) = (0, ByteBuffer())
    do throws(LoadError) {
      while let piece = try await body.next() {
        count += piece.readableBytes
        guard keepsBytes else { continue }
        kept.writeImmutableBuffer(piece)
        guard count > Loaded.clearingLimit else { continue }
        var whole = self
        whole.body = PeekedBody(.success(kept), body)
        return whole
      }
    } catch {
      // Without its connection the next request begins anew, or says what is missing.
      body.abandon()
      try context.checkpoint()
    }
    return nil
  }

  /// The first bytes of the body, `limit` or a piece more, and the response with all of its body. An error gives the response up.
  func peeking(_ limit: Int) async throws(LoadError) -> (ByteBuffer, Loaded) {
    var first = ByteBuffer()
    do throws(LoadError) {
      while first.readableBytes < limit, let piece = try await body.next() { first.writeImmutableBuffer(piece) }
    } catch {
      body.abandon()
      throw error
    }
    var whole = self
    whole.body = PeekedBody(.success(first), body)
    return (first, whole)
  }

  private func drain(_ context: LoadContext) async throws(LoadError) {
    var drained = 0
    var limit: DrainLimit?
    defer { limit?.end() }
    do throws(LoadError) {
      while drained < Loaded.discardLimit {
        switch try body.nextAtOnce() {
        case .piece(let piece): drained += piece.readableBytes
        case .end: return
        case .nothingYet:
          if limit == nil { limit = DrainLimit(body, context) }
          guard let piece = try await body.next() else { return }
          drained += piece.readableBytes
        }
      }
    } catch {
      // What was interrupted may be a wait above the connection, such as for the cache's disk.
      body.abandon()
      return try context.checkpoint()
    }
    body.abandon()
  }
}
