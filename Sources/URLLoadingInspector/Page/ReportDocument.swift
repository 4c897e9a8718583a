#if Inspector
  import Cryptography
  import Foundation

  /// The page with a recording embedded in it, as one self-contained file for bug reports. Has no side effects.
  package enum ReportDocument {
    package static func data(_ transfers: [RecordedTransfer], title: String) -> Data {
      let details = transfers.map { ("\($0.number)", PageMessages.details($0)) }
      let recording = JSONValue.object([("rows", .array(transfers.map(PageMessages.row))), ("details", .object(details))])
      let (style, script) = ("\n\(PageStyle.text)\n", "\n\(PageScript.text)\n")
      // The policy allows only this script and this style, by their hashes, so that nothing in the recording can be executed.
      let policy =
        "default-src 'none'; script-src 'sha256-\(hash(script))'; style-src 'sha256-\(hash(style))'; img-src blob:; base-uri 'none'; "
        + "form-action 'none'; require-trusted-types-for 'script'"
      let html = PageDocument.html(
        title: title,
        head: "<meta http-equiv=\"Content-Security-Policy\" content=\"\(PageDocument.escaped(policy))\">\n<style>\(style)</style>",
        tail: """
          <script type="application/json" id="recording">\(String(decoding: recording.data, as: UTF8.self))</script>
          <script>\(script)</script>
          """)
      return Data(html.utf8)
    }

    private static func hash(_ text: String) -> String { Data(HashFunction.sha256.hash(Array(text.utf8))).base64EncodedString() }
  }
#endif
