// Keys of `URLSessionConfiguration.connectionProxyDictionary` and of the entries of a proxy lookup, with Apple's names. They are
// `String` where Apple has `CFString`; the literal texts work as well.

/// Value: number: 1 if there is a proxy for `http` URLs.
public let kCFNetworkProxiesHTTPEnable = "HTTPEnable"
/// Value: number: port of the proxy for `http` URLs.
public let kCFNetworkProxiesHTTPPort = "HTTPPort"
/// Value: string: host of the proxy for `http` URLs.
public let kCFNetworkProxiesHTTPProxy = "HTTPProxy"
/// Value: number: 1 if a configuration script is to be used.
public let kCFNetworkProxiesProxyAutoConfigEnable = "ProxyAutoConfigEnable"
/// Value: string: URL of the configuration script.
public let kCFNetworkProxiesProxyAutoConfigURLString = "ProxyAutoConfigURLString"
/// Value: string: the configuration script itself.
public let kCFNetworkProxiesProxyAutoConfigJavaScript = "ProxyAutoConfigJavaScript"
/// Value: number: 1 if the network is to be asked for a configuration script.
public let kCFNetworkProxiesProxyAutoDiscoveryEnable = "ProxyAutoDiscoveryEnable"
/// Value: number: 1 if there is a proxy for `https` URLs.
public let kCFNetworkProxiesHTTPSEnable = "HTTPSEnable"
/// Value: number: port of the proxy for `https` URLs.
public let kCFNetworkProxiesHTTPSPort = "HTTPSPort"
/// Value: string: host of the proxy for `https` URLs.
public let kCFNetworkProxiesHTTPSProxy = "HTTPSProxy"
/// Value: number: 1 if there is a SOCKS proxy.
public let kCFNetworkProxiesSOCKSEnable = "SOCKSEnable"
/// Value: number: port of the SOCKS proxy.
public let kCFNetworkProxiesSOCKSPort = "SOCKSPort"
/// Value: string: host of the SOCKS proxy.
public let kCFNetworkProxiesSOCKSProxy = "SOCKSProxy"
/// Value: number: 1 if there is a proxy for `ftp` URLs.
public let kCFNetworkProxiesFTPEnable = "FTPEnable"
/// Value: number: 1 if FTP is to use passive mode.
public let kCFNetworkProxiesFTPPassive = "FTPPassive"
/// Value: number: port of the proxy for `ftp` URLs.
public let kCFNetworkProxiesFTPPort = "FTPPort"
/// Value: string: host of the proxy for `ftp` URLs.
public let kCFNetworkProxiesFTPProxy = "FTPProxy"
/// Value: number: 1 if there is a proxy for `gopher` URLs.
public let kCFNetworkProxiesGopherEnable = "GopherEnable"
/// Value: number: port of the proxy for `gopher` URLs.
public let kCFNetworkProxiesGopherPort = "GopherPort"
/// Value: string: host of the proxy for `gopher` URLs.
public let kCFNetworkProxiesGopherProxy = "GopherProxy"
/// Value: number: 1 if there is a proxy for `rtsp` URLs.
public let kCFNetworkProxiesRTSPEnable = "RTSPEnable"
/// Value: number: port of the proxy for `rtsp` URLs.
public let kCFNetworkProxiesRTSPPort = "RTSPPort"
/// Value: string: host of the proxy for `rtsp` URLs.
public let kCFNetworkProxiesRTSPProxy = "RTSPProxy"
/// Value: array of strings: host patterns that are reached without a proxy.
public let kCFNetworkProxiesExceptionsList = "ExceptionsList"
/// Value: number: 1 if names without a dot are reached without a proxy.
public let kCFNetworkProxiesExcludeSimpleHostnames = "ExcludeSimpleHostnames"

/// Key of an entry: one of the `kCFProxyType…` values.
public let kCFProxyTypeKey = "kCFProxyTypeKey"
/// Key of an entry: the proxy's host, a string.
public let kCFProxyHostNameKey = "kCFProxyHostNameKey"
/// Key of an entry: the proxy's port, a number.
public let kCFProxyPortNumberKey = "kCFProxyPortNumberKey"
/// Key of an entry: the user name for the proxy, a string.
public let kCFProxyUsernameKey = "kCFProxyUsernameKey"
/// Key of an entry: the password for the proxy, a string.
public let kCFProxyPasswordKey = "kCFProxyPasswordKey"
/// Key of an entry: the configuration script's URL.
public let kCFProxyAutoConfigurationURLKey = "kCFProxyAutoConfigurationURLKey"
/// Key of an entry: the configuration script, a string.
public let kCFProxyAutoConfigurationJavaScriptKey = "kCFProxyAutoConfigurationJavaScriptKey"
/// Key of an entry: the response with which the configuration script came.
public let kCFProxyAutoConfigurationHTTPResponseKey = "kCFProxyAutoConfigurationHTTPResponseKey"
/// Type of an entry: no proxy.
public let kCFProxyTypeNone = "kCFProxyTypeNone"
/// Type of an entry: an HTTP proxy.
public let kCFProxyTypeHTTP = "kCFProxyTypeHTTP"
/// Type of an entry: a proxy that opens tunnels by CONNECT.
public let kCFProxyTypeHTTPS = "kCFProxyTypeHTTPS"
/// Type of an entry: a SOCKS proxy.
public let kCFProxyTypeSOCKS = "kCFProxyTypeSOCKS"
/// Type of an entry: an FTP proxy.
public let kCFProxyTypeFTP = "kCFProxyTypeFTP"
/// Type of an entry: a configuration script, by URL.
public let kCFProxyTypeAutoConfigurationURL = "kCFProxyTypeAutoConfigurationURL"
/// Type of an entry: a configuration script, by source.
public let kCFProxyTypeAutoConfigurationJavaScript = "kCFProxyTypeAutoConfigurationJavaScript"
