import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// Notes hosts that ask for Strict Transport Security, in all responses from the network: also in a 304, and in errors in whose place the cache
/// answers.
struct HSTSRecordStage: Stage {
  let hosts: HSTSStore

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    if loaded.response.hasField("Strict-Transport-Security") { note(loaded, request, load.context) }
    return true
  }

  /// Notes the policy if the response allows that. RFC 6797, 8.1: "If an HTTP response, received over a secure transport, includes an STS header
  /// field …, and there are no underlying secure transport errors or warnings".
  // Not inlined, so that `settle`, which runs for each response, is nothing but a test.
  @inline(never)
  private func note(_ loaded: Loaded, _ request: LoadRequest, _ context: LoadContext) {
    guard let origin = request.target?.origin, origin.isSecure else { return }
    guard context.record.fetchType == .networkLoad, context.record.connection?.isTrustOverridden != true else { return }
    guard let head = loaded.response.httpHead, let policy = StrictTransportSecurity(head.headers) else { return }
    hosts.note(policy, from: origin.host, now: context.clock.date)
  }
}
