import Foundation
import URLLoadingSystem

/// Receives a response and its body from a fetch. Called on the session's delegate queue.
protocol BodyReceiver: AnyObject, Sendable {
  /// Whether the body of a response with this status is content; otherwise the status is a failure of the load.
  func takes(status: Int) -> Bool
  /// Whether a part of the content is asked for, so that status 416 may mean that there is no more of it.
  var asksForRest: Bool { get }
  /// The response has come.
  /// - Throws: If its body can't be used.
  func begin(_ response: URLResponse) throws(ToolFailure) -> Reception
  /// Writes a head before the body (`-i`).
  func include(_ head: Data) throws(ToolFailure)
  /// Takes a piece of the body, and returns once it is written.
  func write(_ data: Data) throws(ToolFailure)
  /// Whether the rest of the body isn't needed.
  var isFull: Bool { get }
}

extension BodyReceiver {
  var isFull: Bool { false }
}

/// The receiver's decision about a response.
enum Reception: Sendable, Equatable {
  /// The body is received. It begins at an offset of the whole content, whose length is `total` if known.
  case body(from: Int64, total: Int64?)
  /// Nothing of the body is needed.
  case enough
}
