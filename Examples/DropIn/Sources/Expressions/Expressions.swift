import Dispatch
import Foundation

#if PRODUCT_URLLOADINGSYSTEM
  import URLLoadingSystem
#elseif PRODUCT_FOUNDATIONNETWORKING
  import FoundationNetworking
#elseif PRODUCT_SECURITY
  import Security
#elseif PRODUCT_URLLOADINGTESTKIT
  import URLLoadingTestKit
#endif

// Ordinary code, compiled beside each product of swift-url-loading-system: what it means may not depend on the packages below. A compiler
// that doesn't check MemberImportVisibility takes the members of every module that was loaded into account, imported here or not.

/// Text made of values: a library with `joined(separator:)` and interpolations of its own (as of GRDB's SQL) changes what these mean.
func texts() -> [String] {
  let numbers = [1, 2, 3]
  let joined = numbers.map { number in
    let next = number + 1
    return "\(number) \(next)"
  }.joined(separator: "\n")
  let flat = [["a"], ["b", "c"]].map { words in
    let first = words[0]
    return "\(first): \(words.count)"
  }.joined()
  let separated = numbers.map { "\($0)" }.joined(separator: ", ")
  let pieces = ["a": 1, "b": 2].sorted { $0.key < $1.key }.map { pair in
    let name = pair.key
    return name + "=" + "\(pair.value)"
  }.joined(separator: "&")
  let sum = numbers.map { number in
    let double = number * 2
    return double
  }.reduce(0, +)
  return [joined, flat, separated, pieces, "\(sum)"]
}

/// Operators and literals whose types are inferred.
func comparisons(_ name: String?, _ age: Int?) -> Bool {
  let isAdult = age.map { $0 >= 18 } ?? false
  let matches = name == "Ada" || name != nil && ["Ada", "Bob"].contains { $0 == name }
  let both = [isAdult, matches].allSatisfy { $0 == true }
  let largest = [1, 2, 3].max() ?? 0
  let ascending = ["b", "a"].sorted { $0 < $1 }
  let isBetween = (1...3) ~= largest && !ascending.isEmpty
  return both == isBetween
}

/// Bytes and their conversions.
func bytes() -> Int {
  let list = [1, 2, 3].map { number in
    let byte = UInt8(number)
    return byte
  }
  let data = list.withUnsafeBufferPointer { Data(buffer: $0) }
  let text = String(decoding: data + Data([10]), as: UTF8.self)
  let slice = data.prefix { byte in byte != 2 }
  let number = Int(exactly: 4) ?? 0
  return data.count + text.utf8.count + slice.count + number + Int(UInt32(7)) + Array(data).count
}

/// Lengths of time.
func durations() -> Duration {
  let pauses: [Duration] = [.seconds(1), .milliseconds(2)]
  return pauses.reduce(.zero) { sum, pause in
    let next = sum + pause
    return next
  } * 2
}

/// JSON.
func json() throws -> Int {
  let data = try JSONEncoder().encode(["a": 1])
  let decoded = try JSONDecoder().decode([String: Int].self, from: data)
  let object = try JSONSerialization.jsonObject(with: data)
  return decoded.count + ((object as? [String: Any])?.count ?? 0)
}

// Members by names that a package below uses: the app's own are meant.
extension String {
  func base64Decoded() -> Data? { Data(base64Encoded: self) }
  var databaseValue: String { self }
  var quotedDatabaseIdentifier: String { "\"\(self)\"" }
}

extension Data {
  var hexadecimal: String { map { byte in String(byte, radix: 16) }.joined() }
}

extension AsyncSequence {
  func collect(upTo count: Int) async rethrows -> [Element] {
    try await reduce(into: []) { elements, element in
      if elements.count < count { elements.append(element) }
    }
  }
}

struct Row {
  var databaseValue = "row"
}

struct ByteBuffer {
  var readableBytes = 0
}

struct TimeAmount {
  static func seconds(_ count: Int) -> TimeAmount { TimeAmount() }
}

/// Uses them.
func own(_ stream: AsyncStream<Int>) async -> [String] {
  let decoded: Data? = "QQ==".base64Decoded()
  let count = decoded?.count ?? 0
  let elements = await stream.collect(upTo: 2)
  let hexadecimal = decoded.map { $0.hexadecimal } ?? ""
  let pause: TimeAmount = .seconds(1)
  return [
    "name".quotedDatabaseIdentifier, "value".databaseValue, Row().databaseValue, "\(count) \(elements.count)", hexadecimal, "\(pause)",
  ]
    + ["\(ByteBuffer().readableBytes)"]
}
