#if Inspector
  import Foundation

  /// The text of a recorded body for exports: the body itself if it is UTF-8 text, otherwise base64.
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

    /// The body as UTF-8 text; nil if it isn't valid UTF-8 or contains a null character.
    private static func text(_ data: Data, isCut: Bool) -> String? {
      guard !data.contains(0) else { return nil }
      if let text = String(data: data, encoding: .utf8) { return text }
      // The end of a cut body may be in the middle of a character, so up to three bytes are dropped.
      guard isCut else { return nil }
      for count in 1...3 where data.count > count {
        if let text = String(data: data.dropLast(count), encoding: .utf8) { return text }
      }
      return nil
    }
  }
#endif
