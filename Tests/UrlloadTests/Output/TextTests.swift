import Foundation
import Testing
import URLLoadingSystem

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct TextTests {
  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9994, "9.99 kB"), (9995, "10.0 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"),
      (999_499, "999 kB"), (999_500, "1.00 MB"), (1_234_567_890, "1.23 GB"), (-5, "0 B"), (Int64.max, "9.22 EB"),
    ] as [(Int64, String)]) func bytesHaveThreeDigits(count: Int64, text: String)
  {
    #expect(Quantity.bytes(count) == text)
  }

  @Test(
    arguments: [
      (0, "0:00"), (7.4, "0:07"), (59.6, "1:00"), (3599.4, "59:59"), (3661, "1:01:01"), (-1, "-:--"), (.infinity, "-:--"), (.nan, "-:--"),
    ] as [(Double, String)]) func clocksCountHoursOnlyWhereThereAreSome(seconds: Double, text: String)
  {
    #expect(Quantity.clock(seconds) == text)
  }

  @Test(
    arguments: [
      (0, "0.00 ms"), (0.000123, "0.12 ms"), (0.0123, "12.3 ms"), (0.123, "123 ms"), (0.9996, "1.00 s"), (12.3, "12.30 s"),
    ] as [(Double, String)]) func durationsAreInMilliseconds(seconds: Double, text: String)
  {
    #expect(Quantity.duration(seconds) == text)
  }

  @Test(
    arguments: [
      ("Name: value", .set(name: "Name", value: "value")), ("Name:value:2", .set(name: "Name", value: "value:2")),
      ("Name:", .remove(name: "Name")), ("Name;", .set(name: "Name", value: "")),
    ] as [(String, HeaderArgument)]) func fieldsAreSetEmptiedOrTakenBack(text: String, field: HeaderArgument)
  {
    #expect(HeaderArgument(text) == field)
  }

  @Test(arguments: [
    ("-fsSo out", "-f -s -S -o out"), ("-dname=value -XPUT", "-d name=value -X PUT"), ("-d -sS -sS", "-d -sS -s -S"),
    ("--data -sS", "--data -sS"), ("-o -", "-o -"), ("-d-o x", "-d -o x"), ("-sz", "-sz"), ("-s -- -sS", "-s -- -sS"),
    ("--silent -d", "--silent -d"),
  ]) func joinedOptionsAreTakenApart(joined: String, separate: String) {
    let words = { (text: String) in text.split(separator: " ").map(String.init) }
    #expect(JoinedArguments.separated(words(joined)) == words(separate))
  }

  @Test(arguments: ["", ":", ": value", "Name", ";"]) func fieldsWithoutANameAreRefused(text: String) {
    #expect(HeaderArgument(text) == nil)
  }

  @Test(arguments: [
    ("Authorization", "Basic dXNlcg==", "Authorization: Basic ***"), ("authorization", "token", "authorization: ***"),
    ("Cookie", "a=1; b=2", "Cookie: a=***; b=***"), ("Set-Cookie", "a=1; Path=/; Secure", "Set-Cookie: a=***; Path=/; Secure"),
    ("Cookie", "token", "Cookie: ***"), ("Cookie", "a=1; token", "Cookie: a=***; ***"),
    ("Set-Cookie", "token; Path=/", "Set-Cookie: ***; Path=/"),
    ("PRIVATE-TOKEN", "glpat-1", "PRIVATE-TOKEN: ***"), ("X-Vault-Token", "s.1", "X-Vault-Token: ***"),
    ("x-amz-security-token", "1", "x-amz-security-token: ***"), ("X-Api-Key", "1", "X-Api-Key: ***"), ("ETag", "\"1\"", "ETag: \"1\""),
    ("Location", "https://u:p@h/", "Location: https://u:***@h/"), ("Content-Type", "text/html", "Content-Type: text/html"),
  ]) func secretsAreMasked(name: String, value: String, shown: String) {
    #expect(Masking.field(name, value) == shown)
  }

  @Test(arguments: [
    ("http://u:p:q@h/x", "http://u:***@h/x"), ("https://ghp_1@h/", "https://***@h/"), ("https://sk_1:@h/", "https://***@h/"),
    ("http://@h/", "http://@h/"), ("http://h/a@b", "http://h/a@b"), ("http://h/a:b@c", "http://h/a:b@c"), ("data:,x", "data:,x"),
  ]) func passwordsInURLsAreMasked(url: String, shown: String) {
    #expect(Masking.url(url) == shown)
  }

  @Test func controlCharactersDoNotReachTheTerminal() {
    #expect(Printable.text("a\u{1B}[2J\u{9B}\u{202E}\tb") == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}\tb")
  }

  @Test func longTextIsShortenedInTheMiddle() {
    #expect("abcdefghij".shortened(7) == "abcd…ij")
    #expect("abc".shortened(7) == "abc")
    #expect("abc".shortened(0) == "")
  }

  @Test func proseIsBrokenAtSpaces() {
    #expect("one two three".wrapped(7) == ["one two", "three"])
    #expect("extraordinarily so".wrapped(4) == ["extraordinarily", "so"])
    #expect("".wrapped(4) == [])
  }

  private static let endings: [(URLError.Code, Int32)] = [
    (.badURL, 3), (.unsupportedURL, 3), (.cannotFindHost, 6), (.cannotConnectToHost, 7), (.badServerResponse, 8),
    (.networkConnectionLost, 18), (.timedOut, 28), (.secureConnectionFailed, 35), (.fileDoesNotExist, 37), (.httpTooManyRedirects, 47),
    (.serverCertificateUntrusted, 60), (.serverCertificateHasBadDate, 60), (.cannotDecodeContentData, 61), (.cancelled, 130),
    (.unknown, 1),
  ]

  @Test(arguments: endings) func errorsEndAsInCurl(code: URLError.Code, status: Int32) {
    #expect(ExitStatus(code).rawValue == status)
  }
}
