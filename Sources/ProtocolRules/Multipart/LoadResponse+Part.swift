import LoadingModel

extension LoadResponse {
  /// The response for one part of this response's multipart body: URL, status and header fields of the whole, in which the part's fields replace
  /// those of the same name. The whole's `Content-…` fields are left out: they don't describe the part.
  package func part(_ fields: HeaderFields) -> LoadResponse {
    guard let head = httpHead else { return self }
    let entries = head.headers.entries.filter { entry in
      !entry.name.lowercased().hasPrefix("content-") && !fields.contains(entry.name)
    }
    let merged = HeaderFields(entries + fields.entries)
    return LoadResponse(
      url: url, kind: .http(ResponseHead(status: head.status, reason: head.reason, version: head.version, headers: merged)),
      expectedLength: LoadResponse.length(fields) ?? -1)
  }

  /// The `Content-Length` that a part states, for the app to know: the part ends only at its delimiter. nil if it states none.
  private static func length(_ fields: HeaderFields) -> Int64? {
    guard let digits = fields.joined("Content-Length"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits)
  }
}
