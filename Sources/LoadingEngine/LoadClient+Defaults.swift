import HTTPTransport
import LoadingModel

extension LoadClient {
  /// No judge: new connections are judged by the evaluation alone.
  package var peerEvaluator: (any PeerEvaluator)? { nil }

  package var download: Download? { nil }

  package func didStore(bytes: Int) {}

  package func head(of response: LoadResponse) -> ResponseHead? { response.httpHead }

  package func isWaitingForConnectivity() {}

  package var readsForStoreAlone: Bool { false }
}
