import Foundation
import LoadingModel
import Testing

struct BinaryPropertyListTests {
  private func written(_ list: Any) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  @Test func whatFoundationWritesIsSound() throws {
    let list: [String: Any] = [
      "number": 1, "large": Int64.max, "unsigned": UInt64.max, "negative": -1, "real": 1.5, "flag": true, "text": "a", "other": "äöü",
      "date": Date(timeIntervalSince1970: 1),
      "data": Data([1, 2, 3]), "array": [1, "b", [String: Any]()] as [Any], "long": String(repeating: "a", count: 1000),
    ]
    #expect(BinaryPropertyList.isSound(try written(list)))
    #expect(BinaryPropertyList.isSound(try written([String: Any]())))
    #expect(BinaryPropertyList.isSound(try PropertyListEncoder.binary.encode(["a": [1, 2]])))
    #expect(BinaryPropertyList.isSound(try PropertyListEncoder.binary.encode(["a": [UInt(7), .max]])))
  }

  @Test func otherFormsAreNot() {
    #expect(!BinaryPropertyList.isSound(Data()))
    #expect(!BinaryPropertyList.isSound(Data("bplist00".utf8)))
    #expect(!BinaryPropertyList.isSound(Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>".utf8)))
  }

  /// One object, at offset 8, with the trailer that says so.
  private func list(_ object: [UInt8]) -> Data {
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
    return Data(Array("bplist00".utf8) + object + [8] + trailer + [0, 0, 0, 0, 0, 0, 0, UInt8(8 + object.count)])
  }

  @Test(arguments: [
    // A set; an identifier of archives; nothing; an array that holds itself; a dictionary whose key is itself; a date that is none; a length
    // beyond the end.
    [0xC0], [0x80, 1], [0], [0xA1, 0], [0xD1, 0, 0], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
    [0x14, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
    [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ])
  func whatFoundationTrapsOnIsNot(_ object: [UInt8]) {
    #expect(!BinaryPropertyList.isSound(list(object)))
  }

  @Test func oneObjectIsSound() { #expect(BinaryPropertyList.isSound(list([0x09]))) }

  /// Whatever a byte is changed to: what is called sound, Foundation reads.
  @Test func changedListsEndNoProcess() throws {
    let sample = try written(["a": [1, 2.5, "text", Date(timeIntervalSince1970: 1)] as [Any], "b": ["c": Data([1])]] as [String: Any])
    for index in sample.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xA1, 0xC2, 0xD1, 0xFF] as [UInt8] {
        var changed = sample
        changed[index] = value
        guard BinaryPropertyList.isSound(changed) else { continue }
        _ = try? PropertyListSerialization.propertyList(from: changed, options: [], format: nil)
      }
    }
    for length in 0..<sample.count { #expect(!BinaryPropertyList.isSound(sample.prefix(length))) }
  }
}

extension PropertyListEncoder {
  fileprivate static var binary: PropertyListEncoder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }
}
