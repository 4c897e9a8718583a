import LoadingEngine
import ProtocolRules

extension URLSession {
  /// The header fields that the session adds to each request.
  package var headerDefaults: SessionHeaderDefaults { engine.headerDefaults }
}
