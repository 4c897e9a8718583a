import Foundation
import LoadingModel

/// Writes the parts of a record one after another: numbers in eight bytes, little-endian; texts and bytes behind their length.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ text: String) {
    write(Int64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func write(_ date: Date) { write(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)) }

  mutating func write(_ fields: HeaderFields) {
    write(Int64(fields.count))
    for entry in fields.entries {
      write(entry.name)
      write(entry.value)
    }
  }

  mutating func write(_ head: ResponseHead) {
    write(Int64(head.status))
    write(head.reason)
    write(head.version)
    write(head.headers)
  }

  mutating func write<Value>(_ value: Value?, _ body: (inout RecordWriter, Value) -> Void) {
    write(value == nil ? 0 : 1)
    if let value { body(&self, value) }
  }

  mutating func write(_ data: Data) {
    write(Int64(data.count))
    bytes.append(contentsOf: data)
  }
}

/// Decodes what a `RecordWriter` has encoded. Throws `Malformed` for anything else.
struct RecordReader {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) { bytes = Array(data) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws(Malformed) -> Int64 {
    let piece = try take(8)
    var number: UInt64 = 0
    for byte in piece.reversed() { number = number << 8 | UInt64(byte) }
    return Int64(bitPattern: number)
  }

  mutating func integer() throws(Malformed) -> Int {
    guard let number = Int(exactly: try number()) else { throw Malformed() }
    return number
  }

  mutating func text() throws(Malformed) -> String { String(decoding: try take(try integer()), as: UTF8.self) }

  mutating func data() throws(Malformed) -> Data { Data(try take(try integer())) }

  mutating func date() throws(Malformed) -> Date {
    let seconds = Double(bitPattern: UInt64(bitPattern: try number()))
    guard let date = StoredMoment.date(sinceReferenceDate: seconds) else { throw Malformed() }
    return date
  }

  mutating func fields() throws(Malformed) -> HeaderFields {
    let count = try integer()
    // Each field takes at least 16 bytes: a larger count is damage, for which no memory must be reserved.
    guard count >= 0, count <= (bytes.count - position) / 16 else { throw Malformed() }
    var fields = HeaderFields()
    fields.reserveCapacity(count)
    for _ in 0..<count { fields.add(try text(), try text()) }
    return fields
  }

  mutating func head() throws(Malformed) -> ResponseHead {
    ResponseHead(status: try integer(), reason: try text(), version: try text(), headers: try fields())
  }

  mutating func optional<Value>(_ body: (inout RecordReader) throws(Malformed) -> Value) throws(Malformed) -> Value? {
    try number() == 0 ? nil : try body(&self)
  }

  private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - position else { throw Malformed() }
    defer { position += count }
    return bytes[position..<(position + count)]
  }
}
