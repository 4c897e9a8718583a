import Foundation

/// Parses the text of single replies: ports, sizes, dates, features.
package enum FTPAnswers {
  /// The port in a 229 reply (RFC 2428, 3): "Entering Extended Passive Mode (|||6446|)"; nil if there is none.
  package static func extendedPassivePort(_ reply: FTPReply) -> Int? {
    guard reply.code == 229, let start = reply.text.utf8.lastIndex(of: UInt8(ascii: "(")) else { return nil }
    let inner = reply.text.utf8[start...].dropFirst()
    // RFC 2428, 3: "the text returned … MUST be … (<d><d><d><tcp-port><d>)", where d is any of ASCII 33 to 126.
    guard let delimiter = inner.first, (33...126).contains(delimiter), !isDigit(delimiter), inner.prefix(3).allSatisfy({ $0 == delimiter })
    else { return nil }
    let digits = inner.dropFirst(3).prefix(while: isDigit)
    let end = inner.dropFirst(3 + digits.count)
    guard end.first == delimiter, end.dropFirst().first == UInt8(ascii: ")") else { return nil }
    return port(digits)
  }

  /// The port in a 227 reply (RFC 959, 4.1.2). The address in the reply is ignored: a server could use it to point the client at a port of
  /// another host, and behind address translation it is wrong.
  package static func passivePort(_ reply: FTPReply) -> Int? {
    guard reply.code == 227 else { return nil }
    // RFC 1123, 4.1.2.6: the format of the text varies, so that the first six numbers separated by commas count.
    let bytes = Array(reply.text.utf8)
    for start in bytes.indices where isDigit(bytes[start]) && (start == 0 || !isDigit(bytes[start - 1])) {
      // Six numbers of three digits and their commas have room in what is looked at.
      let numbers = bytes[start...].prefix(64).prefix { isDigit($0) || $0 == UInt8(ascii: ",") }.split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      let values = numbers.prefix(6).compactMap { UInt8(String(decoding: $0, as: UTF8.self)) }
      guard values.count == 6 else { continue }
      let port = Int(values[4]) << 8 | Int(values[5])
      return port == 0 ? nil : port
    }
    return nil
  }

  /// The file's size in bytes, in a 213 reply to SIZE (RFC 3659, 4); nil in another reply.
  package static func size(_ reply: FTPReply) -> Int64? {
    guard reply.code == 213 else { return nil }
    return number(reply.text.utf8)
  }

  /// The size in bytes that many servers name in their 150 reply: "Opening BINARY mode data connection for a.txt (1234 bytes)."
  package static func announcedSize(_ reply: FTPReply) -> Int64? {
    guard reply.isPreliminary, let range = reply.text.range(of: " bytes)", options: .backwards) else { return nil }
    let before = reply.text[..<range.lowerBound]
    guard let start = before.lastIndex(of: "(") else { return nil }
    return number(before[start...].dropFirst().utf8)
  }

  /// The time in a 213 reply to MDTM as the server wrote it, with its fractions of a second; nil if the reply has none.
  package static func modificationStamp(_ reply: FTPReply) -> String? {
    guard modificationDate(reply) != nil else { return nil }
    return String(decoding: reply.text.utf8.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }.prefix(32), as: UTF8.self)
  }

  /// The time in a 213 reply to MDTM (RFC 3659, 2.3 and 3), in UTC: "19980615100045.014". Fractions of a second are left out.
  package static func modificationDate(_ reply: FTPReply) -> Date? {
    guard reply.code == 213 else { return nil }
    let digits = Array(reply.text.utf8.prefix(while: isDigit))
    let rest = Array(reply.text.utf8.dropFirst(digits.count))
    guard digits.count == 14, rest.isEmpty || rest[0] == UInt8(ascii: ".") else { return nil }
    func field(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
    let (year, month, day) = (field(0..<4), field(4..<6), field(6..<8))
    let (hour, minute, second) = (field(8..<10), field(10..<12), field(12..<14))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60, year >= 1601 else { return nil }
    return Date(timeIntervalSince1970: Double(days(year, month, day)) * 86_400 + Double(hour * 3600 + minute * 60 + second))
  }

  /// Whether a 211 reply to FEAT lists `feature` (RFC 2389, 3.2).
  package static func lists(_ feature: String, _ reply: FTPReply) -> Bool {
    guard reply.code == 211 else { return false }
    return reply.lines.dropFirst().contains { line in
      line.split(separator: " ").first?.lowercased() == feature.lowercased()
    }
  }

  /// Days from the Unix epoch to a date of the proleptic Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func port(_ digits: some Sequence<UInt8>) -> Int? {
    guard let value = number(digits), (1...65_535).contains(value) else { return nil }
    return Int(value)
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int64? {
    var text = String(decoding: Array(bytes), as: UTF8.self)[...]
    while text.last == " " { text.removeLast() }
    while text.first == " " { text.removeFirst() }
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int64(text)
  }
}
