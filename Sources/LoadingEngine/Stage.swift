import HTTPTransport
import LoadingModel
import NIOCore

/// One step on the way of a load. A value; what belongs to one load lives in the function's locals or in the `Load`.
package protocol Stage: Sendable {
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded
}

/// The rest of a list of stages, for one load.
package struct Next: Sendable {
  private let stages: [any Stage]
  private let index: Int
  package let load: Load
  package var client: any LoadClient { load.client }

  package init(_ stages: [any Stage], _ load: Load) {
    self.init(stages, at: 0, load)
  }

  private init(_ stages: [any Stage], at index: Int, _ load: Load) {
    self.stages = stages
    self.index = index
    self.load = load
  }

  @inline(__always)
  package func callAsFunction(_ request: LoadRequest, _ context: LoadContext) async throws(LoadError) -> Loaded {
    guard index < stages.count else { throw LoadError(.unknown, .admission, "the loading plan has no last stage") }
    return try await stages[index].load(request, context, Next(stages, at: index + 1, load))
  }
}

/// The lists of stages that a session's loads go through, outermost first; `LoadingPlan` makes them.
package struct StageLists: Sendable {
  package let session: [any Stage]
  package let http: [any Stage]
  /// The way of a WebSocket's opening handshake: HTTP's, without what concerns bodies.
  package let webSocket: [any Stage]
  /// The way to a stream's connection.
  package let stream: [any Stage]
  /// The way to a server of FTP's.
  package let ftp: [any Stage]

  /// The lists, with nil for stages that the session's settings have no use for.
  package init(
    session: [(any Stage)?] = [], http: [(any Stage)?] = [], webSocket: [(any Stage)?] = [], stream: [(any Stage)?] = [],
    ftp: [(any Stage)?] = []
  ) {
    self.session = session.compactMap(\.self)
    self.http = http.compactMap(\.self)
    self.webSocket = webSocket.compactMap(\.self)
    self.stream = stream.compactMap(\.self)
    self.ftp = ftp.compactMap(\.self)
  }
}
