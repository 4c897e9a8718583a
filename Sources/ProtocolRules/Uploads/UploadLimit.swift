import LoadingModel

/// `Upload-Limit`, a dictionary (RFC 9651, 3.2) of what a server takes; interop versions from 4 on have it.
enum UploadLimit {
  /// Bytes that one request may append at most: `max-append-size`. nil if it isn't there or makes no sense.
  static func append(_ headers: HeaderFields) -> Int64? {
    guard let text = headers.first("Upload-Limit") else { return nil }
    var limit: Int64?
    for member in FieldCursor.elements(of: text[...]).prefix(32) {
      var cursor = FieldCursor(member)
      cursor.skipSpace()
      let key = cursor.take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }.trimmingSpaces()
      guard cursor.take(UInt8(ascii: "=")), key == "max-append-size" else { continue }
      // Parameters of a member say nothing about its value.
      let value = cursor.take { $0 != UInt8(ascii: ";") }.trimmingSpaces()
      // "When duplicate Dictionary keys are encountered, all but the last instance are ignored."
      limit = FieldSyntaxRules.decimal(value.utf8)
    }
    return limit.flatMap { $0 > 0 ? $0 : nil }
  }
}
