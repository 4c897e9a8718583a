// Stream proxy keys with Apple's names, `String` where Apple has `CFString`. The typed keys, `StreamSOCKSProxyConfiguration`,
// `StreamSOCKSProxyVersion` and `Stream.PropertyKey.socksProxyConfigurationKey`, are Foundation's own.

/// Stream property: the dictionary of a SOCKS proxy.
public let kCFStreamPropertySOCKSProxy = "kCFStreamPropertySOCKSProxy"
/// Key in the dictionary of a SOCKS proxy: the proxy's host, a string.
public let kCFStreamPropertySOCKSProxyHost = "SOCKSProxy"
/// Key in the dictionary of a SOCKS proxy: the proxy's port, a number.
public let kCFStreamPropertySOCKSProxyPort = "SOCKSPort"
/// Key in the dictionary of a SOCKS proxy: one of the `kCFStreamSocketSOCKSVersion…` values.
public let kCFStreamPropertySOCKSVersion = "kCFStreamPropertySOCKSVersion"
/// Key in the dictionary of a SOCKS proxy: the user name, a string.
public let kCFStreamPropertySOCKSUser = "kCFStreamPropertySOCKSUser"
/// Key in the dictionary of a SOCKS proxy: the password, a string.
public let kCFStreamPropertySOCKSPassword = "kCFStreamPropertySOCKSPassword"
/// Value of `kCFStreamPropertySOCKSVersion`: SOCKS version 4.
public let kCFStreamSocketSOCKSVersion4 = "kCFStreamSocketSOCKSVersion4"
/// Value of `kCFStreamPropertySOCKSVersion`: SOCKS version 5.
public let kCFStreamSocketSOCKSVersion5 = "kCFStreamSocketSOCKSVersion5"

/// Host of the proxy for `http`, a string.
@available(*, deprecated, message: "Use the keys of connectionProxyDictionary.")
public let kCFStreamPropertyHTTPProxyHost = "HTTPProxy"
/// Port of the proxy for `http`, a number.
@available(*, deprecated, message: "Use the keys of connectionProxyDictionary.")
public let kCFStreamPropertyHTTPProxyPort = "HTTPPort"
/// Host of the proxy for `https`, a string.
@available(*, deprecated, message: "Use the keys of connectionProxyDictionary.")
public let kCFStreamPropertyHTTPSProxyHost = "HTTPSProxy"
/// Port of the proxy for `https`, a number.
@available(*, deprecated, message: "Use the keys of connectionProxyDictionary.")
public let kCFStreamPropertyHTTPSProxyPort = "HTTPSPort"
