import LoadingModel

extension LoadResponse {
  /// Whether the MIME type has to be found in the body: it is an HTTP response without `Content-Type`, final and not a part of the resource
  /// (206).
  package var lacksType: Bool {
    guard case .http(let head) = kind, !head.isInformational, head.status != 206 else { return false }
    return MIMESniffingRules.isNeeded(contentType: head.headers.first("Content-Type"))
  }

  /// Sets `sniffedType` from `prefix`, the beginning of the decoded body, if the header fields name no type. An empty body has no type.
  package mutating func sniff(_ prefix: some Collection<UInt8>) {
    guard !prefix.isEmpty, lacksType else { return }
    sniffedType = MIMESniffingRules.mimeType(prefix: prefix)
  }
}
