import LoadingModel

extension LoadResponse {
  /// Whether the type has to be found in the body: HTTP's header fields don't name it, and the body is one and begins where its resource does.
  package var lacksType: Bool {
    guard case .http(let head) = kind, !head.isInformational, head.status != 206 else { return false }
    return MIMESniffingRules.isNeeded(contentType: head.headers.first("Content-Type"))
  }

  /// Notes the type of the decoded body that begins with `prefix`, where the header fields name none. An empty body has no type.
  package mutating func sniff(_ prefix: some Collection<UInt8>) {
    guard !prefix.isEmpty, lacksType else { return }
    sniffedType = MIMESniffingRules.mimeType(prefix: prefix)
  }
}
