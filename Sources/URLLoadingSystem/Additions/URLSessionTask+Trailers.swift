import Foundation
import LoadingModel

// Trailer fields (RFC 9110, 6.5). Additions to Apple's API.

extension URLSessionTask {
  /// The trailer fields of the response; nil before the task has completed, after a failure, and if there were none. An addition to Apple's API.
  ///
  /// Names are as received, values of one name joined by ", ". Fields that aren't allowed as trailers (RFC 9110, 6.5.1), such as `Content-Length`,
  /// are left out. A response from the cache has the trailers with which it was stored.
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

  /// The trailer fields in the order in which they were received, repeated names not joined.
  package final var trailers: HeaderFields? { fields.withLock { $0.trailers } }
}

extension URLSession.AsyncChunks {
  /// The trailer fields, available when the last piece has been read; nil if there were none. As `URLSessionTask.trailerFields`.
  public var trailerFields: [String: String]? { task.trailerFields }
}

extension HeaderFields {
  /// Converts a dictionary of an app's to fields, sorted by name.
  init(trailers: [String: String]) {
    self.init(trailers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }
}
