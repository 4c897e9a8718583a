import LoadingModel

/// Parses `Upload-Limit`, a dictionary (RFC 9651, 3.2) of a server's limits; interop versions from 4 on have it.
enum UploadLimit {
  /// The most bytes that one request may append (`max-append-size`); nil if the field doesn't state it, or not as a positive number.
  static func append(_ headers: HeaderFields) -> Int64? {
    guard let text = headers.first("Upload-Limit") else { return nil }
    var limit: Int64?
    for member in FieldCursor.elements(of: text[...]).prefix(32) {
      var cursor = FieldCursor(member)
      cursor.skipSpace()
      let key = cursor.take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }.trimmingSpaces()
      guard cursor.take(UInt8(ascii: "=")), key == "max-append-size" else { continue }
      // The member's value ends at a semicolon, where its parameters begin; they are ignored.
      let value = cursor.take { $0 != UInt8(ascii: ";") }.trimmingSpaces()
      // RFC 9651: "When duplicate Dictionary keys are encountered, all but the last instance are ignored."
      limit = FieldSyntaxRules.decimal(value.utf8)
    }
    return limit.flatMap { $0 > 0 ? $0 : nil }
  }
}
