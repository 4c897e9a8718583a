import Foundation
import LoadingModel

// Fields behind a body (RFC 9110, 6.5). Additions to Apple's API.

extension URLSessionTask {
  /// The fields that followed the response's body; nil before the task has completed, after a failure, and where there were none. An addition
  /// to Apple's API.
  ///
  /// Names are as received, values of one name joined by ", ". Fields that may not be trailers (RFC 9110, 6.5.1), such as `Content-Length`, are
  /// left out. A response from the cache has those that it had when it was stored.
  public final var trailerFields: [String: String]? {
    guard let trailers = trailers else { return nil }
    var fields: [String: String] = [:]
    var names: [String: String] = [:]
    for (name, value) in trailers.entries {
      let shown = names[name.lowercased(), default: name]
      names[name.lowercased()] = shown
      fields[shown] = fields[shown].map { "\($0), \(value)" } ?? value
    }
    return fields
  }

  /// The same in their order, those of one name apart.
  package final var trailers: HeaderFields? { fields.withLock { $0.trailers } }
}

extension URLSession.AsyncChunks {
  /// The fields that followed the body, once its last piece has been read; nil where there were none. As `URLSessionTask.trailerFields`.
  public var trailerFields: [String: String]? { task.trailerFields }
}

extension HeaderFields {
  /// Fields as an app gives them, in the order of their names.
  init(trailers: [String: String]) {
    self.init(trailers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }
}
