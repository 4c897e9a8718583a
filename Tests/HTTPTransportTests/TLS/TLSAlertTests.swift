import LoadingModel
import Testing

@testable import HTTPTransport

@Suite struct TLSAlertTests {
  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  @Test func renegotiationIsToldFromAlerts() {
    let error = Failure(
      description: "sslError([Error: 268435642 error:100000ba:SSL routines:OPENSSL_internal:NO_RENEGOTIATION at ssl_lib.cc:786])")
    #expect(TLSAlert.renegotiation(in: error)?.kind == .secureConnectionFailed)
    #expect(TLSAlert.renegotiation(in: error)?.message.contains("renegotiation") == true)
    let alert = Failure(description: "error:10000042:SSL routines:OPENSSL_internal:TLSV1_ALERT_NO_RENEGOTIATION")
    #expect(TLSAlert.renegotiation(in: alert) == nil)
  }
}
