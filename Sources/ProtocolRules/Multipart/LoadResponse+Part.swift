import LoadingModel

extension LoadResponse {
  /// The response of a part of this one's body: URL, status and header fields of the whole, with those of the part in their place. What the
  /// whole says of its own content isn't so of the part's.
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

  /// What a part says of its length: the delimiter alone ends it.
  private static func length(_ fields: HeaderFields) -> Int64? {
    guard let digits = fields.joined("Content-Length"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits)
  }
}
