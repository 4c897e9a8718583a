import LoadingEngine
import ProtocolRules

extension URLSession {
  /// What the session adds to each request's head.
  package var headerDefaults: SessionHeaderDefaults { engine.headerDefaults }
}
