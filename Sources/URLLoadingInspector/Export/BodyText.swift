#if Inspector
  import Foundation

  /// A recorded body as text where it is some, else in base64.
  struct BodyText {
    let text: String
    let isBase64: Bool

    init(_ body: RecordedBody) {
      let data = body.data
      if let text = BodyText.text(data, isCut: body.isCut) {
        (self.text, isBase64) = (text, false)
      } else {
        (text, isBase64) = (data.base64EncodedString(), true)
      }
    }

    /// nil where the bytes aren't legible: no UTF-8, or with control characters that text doesn't have.
    private static func text(_ data: Data, isCut: Bool) -> String? {
      guard !data.contains(0) else { return nil }
      if let text = String(data: data, encoding: .utf8) { return text }
      // The last character may be cut off.
      guard isCut else { return nil }
      for count in 1...3 where data.count > count {
        if let text = String(data: data.dropLast(count), encoding: .utf8) { return text }
      }
      return nil
    }
  }
#endif
