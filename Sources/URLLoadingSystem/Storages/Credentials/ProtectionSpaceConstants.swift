// Values of `URLProtectionSpace.protocol`, `.proxyType` and `.authenticationMethod`. Compare with the constants, not with their texts.

/// Protocol of a space: HTTP.
public let NSURLProtectionSpaceHTTP = "http"
/// Protocol of a space: HTTP over TLS.
public let NSURLProtectionSpaceHTTPS = "https"
/// Protocol of a space: FTP.
@available(*, deprecated, message: "FTP is deprecated.")
public let NSURLProtectionSpaceFTP = "ftp"

/// Type of a proxy: for HTTP.
public let NSURLProtectionSpaceHTTPProxy = "http"
/// Type of a proxy: for HTTP over TLS.
public let NSURLProtectionSpaceHTTPSProxy = "https"
/// Type of a proxy: for FTP.
@available(*, deprecated, message: "FTP is deprecated.")
public let NSURLProtectionSpaceFTPProxy = "ftp"
/// Type of a proxy: SOCKS.
public let NSURLProtectionSpaceSOCKSProxy = "SOCKS"

/// The method that the protocol uses if nothing else is said.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// HTTP Basic (RFC 7617). Answer with user and password.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// HTTP Digest (RFC 7616). Answer with user and password.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// A form in a page. The loader never asks for it.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM. Answer with user and password.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// Negotiate (RFC 4559). Answer with user and password, or by default handling with the system's ticket.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// A TLS client certificate. Answer with an identity.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// A TLS server's certificate is to be evaluated. Answer with `URLCredential(trust:)`.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// Option of `URLCredentialStorage.remove(_:for:options:)`: true to remove a synchronizable credential as well.
public let NSURLCredentialStorageRemoveSynchronizableCredentials = "NSURLCredentialStorageRemoveSynchronizableCredentials"
