import LoadingModel
import ProtocolRules

extension HPACKEncoder.Indexing {
  /// How a request's field is encoded; nil for a connection-specific field, which isn't sent over HTTP/2 (RFC 9113, 8.2.2).
  static func of(_ name: String, _ value: String) -> HPACKEncoder.Indexing? {
    switch name.utf8.count {
    case 2 where name.isSameField("te"): return value.equalsIgnoringCase("trailers") ? .kept : nil
    case 4 where name.isSameField("host"): return nil
    case 5 where name.isSameField("range"): return .transient
    // A short secret in the table could be guessed from the length of compressed requests (RFC 7541, 7.1.3): it is never indexed.
    case 6 where name.isSameField("cookie"): return value.utf8.count < 20 ? .secret : .kept
    case 7 where name.isSameField("upgrade"): return nil
    case 10 where name.isSameField("connection") || name.isSameField("keep-alive"): return nil
    case 13 where name.isSameField("authorization"): return .secret
    case 13 where name.isSameField("if-none-match"): return .transient
    case 14 where name.isSameField("content-length"): return .transient
    case 16 where name.isSameField("proxy-connection"): return nil
    case 17 where name.isSameField("transfer-encoding"): return nil
    case 17 where name.isSameField("if-modified-since"): return .transient
    case 19 where name.isSameField("proxy-authorization"): return .secret
    default: return .kept
    }
  }
}
