import HTTPPolicy
import HTTPTransport
import LoadingModel

extension Loaded {
  /// Bytes of an unwanted body that are read to keep its connection; a longer one costs the connection.
  private static let discardLimit = 64 * 1024

  /// Reads the body of a response that another request follows. Nobody sees it: if it breaks, that costs the connection and not the load.
  func discardBody(_ context: LoadContext) async throws(LoadError) {
    switch framing {
    // Nothing to gain: the end of such a body is the end of its connection, or too far away.
    case .untilClose where proposedRedirect == nil: body.abandon()
    case .length(let length) where length > Loaded.discardLimit: body.abandon()
    case .untilClose, .length, .chunked, .none: try await drain(context)
    }
  }

  private func drain(_ context: LoadContext) async throws(LoadError) {
    var drained = 0
    do throws(LoadError) {
      while drained < Loaded.discardLimit {
        guard let piece = try await body.next() else { return }
        drained += piece.readableBytes
      }
    } catch {
      try context.checkpoint()
    }
    body.abandon()
  }
}
