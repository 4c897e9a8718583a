import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import URLLoadingTestKit

@testable import LoadingEngine

/// A body that comes in the test's pieces. Knows how far it has been read, and whether it was abandoned.
final class PieceBody: BodyReader, Sendable {
  enum Piece: Sendable {
    case bytes(String)
    case data(Data)
    case fail(LoadError)
    /// Comes to the gate before the next piece; an interruption of the load ends the wait.
    case held(Gate)
  }

  private struct State {
    var rest: [Piece]
    var isAbandoned = false
  }

  private let state: Mutex<State>
  /// The load that reads it.
  let context = Mutex<LoadContext?>(nil)

  init(_ pieces: [Piece]) { state = Mutex(State(rest: pieces)) }
  convenience init(_ pieces: String...) { self.init(pieces.map { .bytes($0) }) }

  var isAbandoned: Bool { state.withLock(\.isAbandoned) }
  var isRead: Bool { state.withLock(\.rest.isEmpty) }

  func next() async throws(LoadError) -> ByteBuffer? {
    while let piece = state.withLock({ $0.rest.isEmpty ? nil : $0.rest.removeFirst() }) {
      switch piece {
      case .bytes(let text): return ByteBuffer(string: text)
      case .data(let data): return ByteBuffer(bytes: data)
      case .fail(let error): throw error
      case .held(let gate): if let context = context.withLock({ $0 }) { try await gate.pass(context) }
      }
    }
    return nil
  }

  func abandon() { state.withLock { $0.isAbandoned = true } }
}
