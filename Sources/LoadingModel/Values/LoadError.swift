import Foundation

/// The one error inside the engine. The public layer turns it into `URLError` in one file.
///
/// A value as wide as a pointer: each function that a load waits in has room for an error of every call it makes.
package struct LoadError: Error, Sendable {
  /// What went wrong. Raw values are the codes of NSURLErrorDomain.
  package enum Kind: Int, Sendable {
    case unknown = -1
    case cancelled = -999
    case badURL = -1000
    case timedOut = -1001
    case unsupportedURL = -1002
    case cannotFindHost = -1003
    case cannotConnectToHost = -1004
    case networkConnectionLost = -1005
    case dnsLookupFailed = -1006
    case httpTooManyRedirects = -1007
    case resourceUnavailable = -1008
    case notConnectedToInternet = -1009
    case redirectToNonExistentLocation = -1010
    case badServerResponse = -1011
    case userCancelledAuthentication = -1012
    case userAuthenticationRequired = -1013
    case zeroByteResource = -1014
    case cannotDecodeRawData = -1015
    case cannotDecodeContentData = -1016
    case cannotParseResponse = -1017
    case requestBodyStreamExhausted = -1021
    case appTransportSecurityRequiresSecureConnection = -1022
    case backgroundSessionInUseByAnotherProcess = -996
    case backgroundSessionWasDisconnected = -997
    case fileDoesNotExist = -1100
    case fileIsDirectory = -1101
    case noPermissionsToReadFile = -1102
    case dataLengthExceedsMaximum = -1103
    case secureConnectionFailed = -1200
    case serverCertificateHasBadDate = -1201
    case serverCertificateUntrusted = -1202
    case serverCertificateHasUnknownRoot = -1203
    case serverCertificateNotYetValid = -1204
    case clientCertificateRejected = -1205
    case clientCertificateRequired = -1206
    case cannotCreateFile = -3000
    case cannotOpenFile = -3001
    case cannotWriteToFile = -3003
  }

  /// How far the load had come.
  package enum Phase: String, Sendable {
    case admission, resolve, connect, secure, send, head, body, decode, redirect, delivery
  }

  /// The error an app's own protocol class reported: handed to the caller unchanged.
  package struct Foreign: @unchecked Sendable {
    // @unchecked: an immutable error value that only travels.
    package let error: any Error
    package init(_ error: any Error) { self.error = error }
  }

  private struct Fields: Sendable {
    var kind: Kind
    var phase: Phase
    var message: String
    var posixCode: Int32?
    var foreign: Foreign?
    var peer: (any PeerEvidence)?
    var proxy: ProxyFault?
    var resendReason: ResendReason?
    var networkObstacle: NetworkObstacle?
    var advice: String?
  }

  private var fields: Boxed<Fields>

  package var kind: Kind {
    get { fields.value.kind }
    set { fields.value.kind = newValue }
  }
  package var phase: Phase {
    get { fields.value.phase }
    set { fields.value.phase = newValue }
  }
  /// What was wrong and what to do, without credentials, header values or body bytes.
  package var message: String {
    get { fields.value.message }
    set { fields.value.message = newValue }
  }
  /// The system's errno, where one was behind it.
  package var posixCode: Int32? {
    get { fields.value.posixCode }
    set { fields.value.posixCode = newValue }
  }
  package var foreign: Foreign? {
    get { fields.value.foreign }
    set { fields.value.foreign = newValue }
  }
  /// What the server presented, where its certificates are the reason.
  package var peer: (any PeerEvidence)? {
    get { fields.value.peer }
    set { fields.value.peer = newValue }
  }
  /// Where a proxy is the reason.
  package var proxy: ProxyFault? {
    get { fields.value.proxy }
    set { fields.value.proxy = newValue }
  }
  /// Why another attempt may do better; nil where there is no reason to think so.
  package var resendReason: ResendReason? {
    get { fields.value.resendReason }
    set { fields.value.resendReason = newValue }
  }
  /// Which kind of network was there, but forbidden to this load.
  package var networkObstacle: NetworkObstacle? {
    get { fields.value.networkObstacle }
    set { fields.value.networkObstacle = newValue }
  }

  /// What to do, told beside the description; nil where the message says it.
  package var advice: String? {
    get { fields.value.advice }
    set { fields.value.advice = newValue }
  }

  /// Raw values are those of `URLError.NetworkUnavailableReason`.
  package enum NetworkObstacle: Int, Sendable, Hashable {
    case cellular = 0
    case expensive = 1
    case constrained = 2
  }

  /// Why a request may be sent again: how far it had come when the attempt failed.
  package enum ResendReason: Sendable, Hashable {
    /// No connection was made, and nothing sent. Another route may lead to the server.
    case notConnected
    /// The connection had served before, and no byte of this response had arrived (RFC 9112, 9.3.1).
    case staleConnection
    /// As `staleConnection`, on a connection that was new: in its handshake, or with the request on its way.
    case cutOff
    /// The connection's own address had left the machine before any byte of a response came: there may be another way to the server. It
    /// takes precedence over `staleConnection` and `cutOff`.
    case pathLost

    // The server surely hasn't acted on the request: whatever the method, it may be sent again (RFC 9113, 8.7).

    /// GOAWAY or REFUSED_STREAM, or the request wasn't sent: another connection will do.
    case refused
    /// As `refused`, on a connection that had answered others: this request's turn comes on one of the next.
    case outrun
    /// HTTP_1_1_REQUIRED: only HTTP/1.1 will do.
    case needsHTTP1
    /// Its turn to be answered hadn't come when the connection ended. Only said of safe requests, which may have been acted on.
    case unanswered
  }

  package init(_ kind: Kind, _ phase: Phase, _ message: String, posixCode: Int32? = nil) {
    fields = Boxed(Fields(kind: kind, phase: phase, message: message, posixCode: posixCode))
  }

  package init(foreign error: any Error) {
    fields = Boxed(Fields(kind: .unknown, phase: .delivery, message: "\(error)", foreign: Foreign(error)))
  }

  package static func cancelled(_ phase: Phase = .delivery) -> LoadError {
    LoadError(.cancelled, phase, "cancelled")
  }
}

/// What a server presented, as far as errors carry it; the transport's own type behind it.
package protocol PeerEvidence: Sendable {}
