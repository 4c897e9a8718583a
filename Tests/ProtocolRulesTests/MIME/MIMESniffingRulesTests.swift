import ProtocolRules
import Testing

struct MIMESniffingRulesTests {
  @Test(arguments: [
    ("<!DOCTYPE html><p>", "text/html"), ("\n\t <HTML>", "text/html"), ("<script >", "text/html"), ("<!-- x", "text/html"),
    ("<b>bold", "text/html"), ("<br>", "text/html"), ("<body class=x>", "text/html"), ("<banana>", "text/plain"), ("<html", "text/plain"),
    ("<?xml version=\"1.0\"?>", "text/xml"), ("hello", "text/plain"), ("{\"a\":1}", "text/plain"), ("[1]", "text/plain"),
    ("grüße", "text/plain"), ("%PDF-1.7", "application/pdf"), ("%!PS-Adobe-3", "application/postscript"), ("GIF89a..", "image/gif"),
    ("GIF87a..", "image/gif"), ("GIF88a..", "text/plain"), ("RIFF\0\0\0\0WEBPVP", "image/webp"), ("PK\u{3}\u{4}x", "application/zip"),
    ("\u{FEFF}<html>", "text/plain"), ("a\0b", "application/octet-stream"), ("", "application/octet-stream"),
    ("\u{1B}[1mansi", "text/plain"),
  ])
  func textualStarts(text: String, expected: String) {
    #expect(MIMESniffingRules.mimeType(prefix: text.utf8) == expected)
  }

  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
      ([0x1F, 0x8B, 0x08, 0], "application/x-gzip"), ([0xFE, 0xFF, 0, 0x41], "text/plain"), ([0xFF, 0xFE, 0x41, 0], "text/plain"),
      ([0x89, 0x50], "text/plain"), ([0x7F, 0x45, 0x4C, 0x46, 1], "application/octet-stream"),
    ] as [([UInt8], String)])
  func binaryStarts(bytes: [UInt8], expected: String) {
    #expect(MIMESniffingRules.mimeType(prefix: bytes) == expected)
  }

  @Test func bytesBehindThePrefixDoNotCount() {
    let text = [UInt8](repeating: 0x61, count: MIMESniffingRules.prefixLength)
    #expect(MIMESniffingRules.mimeType(prefix: text + [0]) == "text/plain")
    #expect(MIMESniffingRules.mimeType(prefix: text.dropLast() + [0]) == "application/octet-stream")
  }

  @Test func onlyAMissingLabelIsGuessed() {
    #expect(MIMESniffingRules.isNeeded(contentType: nil))
    #expect(MIMESniffingRules.isNeeded(contentType: " "))
    #expect(!MIMESniffingRules.isNeeded(contentType: "application/octet-stream"))
    #expect(!MIMESniffingRules.isNeeded(contentType: "text/plain"))
  }
}
