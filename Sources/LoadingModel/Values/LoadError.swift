import Foundation

/// The only error type inside the engine; the public layer turns it into `URLError` in one file.
///
/// The value is one pointer wide: the stack frame of each async function of a load reserves room for the error of every call it makes.
package struct LoadError: Error, Sendable {
  /// The kind of the error. Raw values are the codes of NSURLErrorDomain.
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

  /// The phase of the load in which the error occurred.
  package enum Phase: String, Sendable {
    case admission, resolve, connect, secure, send, head, body, decode, redirect, delivery
  }

  /// The error that an app's own protocol class has reported: the caller gets it unchanged.
  package struct Foreign: @unchecked Sendable {
    // @unchecked: an immutable error value, which is only passed on.
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
  /// What was wrong and what to do about it, as text without credentials, header values or body bytes.
  package var message: String {
    get { fields.value.message }
    set { fields.value.message = newValue }
  }
  /// The errno of the system call that failed; nil if none did.
  package var posixCode: Int32? {
    get { fields.value.posixCode }
    set { fields.value.posixCode = newValue }
  }
  package var foreign: Foreign? {
    get { fields.value.foreign }
    set { fields.value.foreign = newValue }
  }
  /// The certificates that the server presented, if they are the reason of the error.
  package var peer: (any PeerEvidence)? {
    get { fields.value.peer }
    set { fields.value.peer = newValue }
  }
  /// The proxy's part in the error, if it is the reason.
  package var proxy: ProxyFault? {
    get { fields.value.proxy }
    set { fields.value.proxy = newValue }
  }
  /// Why another attempt may succeed; nil if there is no reason to expect that.
  package var resendReason: ResendReason? {
    get { fields.value.resendReason }
    set { fields.value.resendReason = newValue }
  }
  /// The kind of network that was available but forbidden to this load; nil if that isn't the reason.
  package var networkObstacle: NetworkObstacle? {
    get { fields.value.networkObstacle }
    set { fields.value.networkObstacle = newValue }
  }

  /// What the app should do, as text beside the description; nil if the message says it.
  package var advice: String? {
    get { fields.value.advice }
    set { fields.value.advice = newValue }
  }

  /// A kind of network that a load may be forbidden to use. Raw values are those of `URLError.NetworkUnavailableReason`.
  package enum NetworkObstacle: Int, Sendable, Hashable {
    case cellular = 0
    case expensive = 1
    case constrained = 2
  }

  /// Why a request may be sent again: how far it had got when the attempt failed.
  package enum ResendReason: Sendable, Hashable {
    /// No connection was made, and nothing was sent. Another route may lead to the server.
    case notConnected
    /// The connection had served before, and no byte of this response had arrived (RFC 9112, 9.3.1).
    case staleConnection
    /// A new connection broke, in its handshake or after the request was sent, and no byte of the response had arrived.
    case cutOff
    /// The connection's local address had left the machine before any byte of the response came: another network may lead to the server. Takes
    /// precedence over `staleConnection` and `cutOff`.
    case pathLost

    // For the following cases the server certainly hasn't acted on the request: whatever the method, it may be sent again (RFC 9113, 8.7).

    /// The server sent GOAWAY or REFUSED_STREAM, or the request wasn't sent at all: it may be sent on another connection.
    case refused
    /// As `refused`, on a connection that had answered other requests before: this one may have its turn on a later connection.
    case outrun
    /// The server sent HTTP_1_1_REQUIRED: the request must be sent over HTTP/1.1.
    case needsHTTP1
    /// The connection ended before the pipelined request's turn to be answered. Set only for safe requests, because the server may have acted on
    /// it.
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

/// The certificates that a server presented, as an error carries them; the transport has a type that conforms.
package protocol PeerEvidence: Sendable {}
