import Foundation

/// The observable properties of a session at one moment.
struct SessionValues: Sendable {
  let delegate: (any URLSessionDelegate)?
  let sessionDescription: String?

  init(_ changing: URLSession.Changing) {
    delegate = changing.messages?.delegate
    sessionDescription = changing.sessionDescription
  }
}

extension URLSession.Changing: ObservedFields {
  var observed: SessionValues { SessionValues(self) }
}
