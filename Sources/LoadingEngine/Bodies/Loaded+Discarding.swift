import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

extension Loaded {
  /// The most bytes of an unwanted body that are read to keep its connection; a longer body costs the connection.
  private static let discardLimit = 64 * 1024
  /// The most bytes that are read to keep a connection which the next request depends on.
  private static let clearingLimit = 4 * 1024 * 1024

  /// Reads a response's body to its end, without delivering it, because another request follows. If it breaks or takes too long, only the
  /// connection is lost; the load continues.
  func discardBody(_ context: LoadContext) async throws(LoadError) {
    switch framing {
    // Reading such a body gains nothing: it ends with its connection, or too many bytes are left.
    case .untilClose where proposedRedirect == nil: body.abandon()
    case .length(let length) where length > Loaded.discardLimit: body.abandon()
    case .untilClose, .length, .chunked, .none: try await drain(context)
    }
  }

  /// Reads a response's body to its end, because the next request needs the same connection: nil. If the end is too far away, or is the
  /// connection's own, the response is returned, complete.
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
      // Without the connection the next request begins anew, or reports what is missing.
      body.abandon()
      try context.checkpoint()
    }
    return nil
  }

  /// Reads at least `limit` bytes of the body, and returns them with a response that still has the whole body. An error abandons the body.
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
      // The interruption may have come to a wait above the connection, such as for the cache's disk: so the body is abandoned, too.
      body.abandon()
      return try context.checkpoint()
    }
    body.abandon()
  }
}
