import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// Notes hosts that ask for Strict Transport Security, in whatever comes from the network: a 304 as well, and errors that the cache hides.
struct HSTSRecordStage: Stage {
  let hosts: HSTSStore

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    if loaded.response.hasField("Strict-Transport-Security") { note(loaded, request, load.context) }
    return true
  }

  /// 8.1: "If an HTTP response, received over a secure transport, includes an STS header field …, and there are no underlying secure
  /// transport errors or warnings".
  // Not inlined: `settle`, on the way of each response, is a test and nothing else.
  @inline(never)
  private func note(_ loaded: Loaded, _ request: LoadRequest, _ context: LoadContext) {
    guard let origin = request.target?.origin, origin.isSecure else { return }
    guard context.record.fetchType == .networkLoad, context.record.connection?.isTrustOverridden != true else { return }
    guard let head = loaded.response.httpHead, let policy = StrictTransportSecurity(head.headers) else { return }
    hosts.note(policy, from: origin.host, now: context.clock.date)
  }
}
