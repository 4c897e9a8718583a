import Foundation
import URLLoadingSystem

/// Where a fetch delivers what it receives. Called on the session's delegate queue.
protocol BodyReceiver: AnyObject, Sendable {
  /// Whether the answer to this status is content like any other, or a failure of the load.
  func takes(status: Int) -> Bool
  /// The response is there.
  /// - Throws: If its body can't be taken.
  func begin(_ response: URLResponse) throws(ToolFailure) -> Reception
  /// A head that is wanted before the body.
  func include(_ head: Data) throws(ToolFailure)
  /// Takes a piece of the body, and returns once it is written.
  func write(_ data: Data) throws(ToolFailure)
  /// Whether no more of the body is needed.
  var isFull: Bool { get }
}

extension BodyReceiver {
  var isFull: Bool { false }
}

/// What comes of a response.
enum Reception: Sendable, Equatable {
  /// Its body is taken: it begins at an offset of the whole, whose length may be known.
  case body(from: Int64, total: Int64?)
  /// Nothing more is needed.
  case enough
}
