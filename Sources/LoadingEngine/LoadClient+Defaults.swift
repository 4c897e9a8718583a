import HTTPTransport

extension LoadClient {
  /// Nobody: new connections are judged by the evaluation alone.
  package var peerJudge: (any PeerJudge)? { nil }

  package var readsForStoreAlone: Bool { false }
}
