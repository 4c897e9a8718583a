import LoadingModel

/// `Upload-Limit`, a dictionary (RFC 9651, 3.2) of what a server takes; interop versions from 4 on have it.
enum UploadLimit {
  /// Bytes that one request may append at most: `max-append-size`. nil if it isn't there or makes no sense.
  static func append(_ headers: HeaderFields) -> Int64? {
    guard let text = headers.first("Upload-Limit") else { return nil }
    var limit: Int64?
    for member in text.split(separator: ",").prefix(32) {
      // Parameters of a member say nothing about its value.
      guard let item = member.split(separator: ";", maxSplits: 1).first else { continue }
      let parts = item.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() as String }
      // "When duplicate Dictionary keys are encountered, all but the last instance are ignored."
      if parts.count == 2, parts[0] == "max-append-size" { limit = FieldSyntaxRules.decimal(parts[1].utf8) }
    }
    return limit.flatMap { $0 > 0 ? $0 : nil }
  }
}
