// Values of `URLProtectionSpace.protocol`, `.proxyType` and `.authenticationMethod`. Compare with the constants, not with their texts.

/// Protocol of a space: HTTP.
public let NSURLProtectionSpaceHTTP = "http"
/// Protocol of a space: HTTP over TLS.
public let NSURLProtectionSpaceHTTPS = "https"
/// Protocol of a space: FTP.
@available(*, deprecated, message: "FTP is deprecated.")
public let NSURLProtectionSpaceFTP = "ftp"

/// Type of a proxy (`proxyType`): an HTTP proxy.
public let NSURLProtectionSpaceHTTPProxy = "http"
/// Type of a proxy (`proxyType`): an HTTP proxy reached over TLS.
public let NSURLProtectionSpaceHTTPSProxy = "https"
/// Type of a proxy (`proxyType`): an FTP proxy.
@available(*, deprecated, message: "FTP is deprecated.")
public let NSURLProtectionSpaceFTPProxy = "ftp"
/// Type of a proxy (`proxyType`): a SOCKS proxy.
public let NSURLProtectionSpaceSOCKSProxy = "SOCKS"

/// The protocol's default authentication method, such as the user name and password of FTP.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// HTTP Basic (RFC 7617). Answer with user and password.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// HTTP Digest (RFC 7616). Answer with user and password.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// A login form in a web page. The loader never sends such a challenge.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM. Answer with user and password.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// Negotiate (RFC 4559). Answer with user and password, or by default handling with the system's ticket.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// The server asks for a TLS client certificate. Answer with `URLCredential(identity:certificates:persistence:)`.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// The certificate of a TLS server is to be evaluated. Answer with `URLCredential(trust:)` to accept it.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// Option of `URLCredentialStorage.remove(_:for:options:)`: with the value true, a synchronizable credential is removed as well.
public let NSURLCredentialStorageRemoveSynchronizableCredentials = "NSURLCredentialStorageRemoveSynchronizableCredentials"
