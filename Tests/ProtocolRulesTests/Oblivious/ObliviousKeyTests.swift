import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

/// The example of RFC 9458, appendix A, and what isn't one.
struct ObliviousKeyTests {
  private static let configuration = bytes("01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003")
  private static let privateKey = bytes("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a")
  private static let message = bytes(
    "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d858c40a026e796"
      + "5e7d86b83dd440b2c0185204b4d63525")

  private static func bytes(_ hexadecimal: String) -> Data {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  @Test func theStandardsExampleIsRead() throws {
    let (request, answer) = try #require(ObliviousKey.open(Self.message, privateKey: Self.privateKey))
    #expect(request == Self.bytes("00034745540568747470730b6578616d706c652e636f6d012f"))
    let response = answer.open(Self.bytes("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd"))
    #expect(response == Self.bytes("0140c8"))
    #expect(try BinaryHTTP.response(#require(response)).head.status == 200)
  }

  @Test func whatIsSealedToItsKeyIsOpened() throws {
    for configuration in [Self.configuration, Data([0, UInt8(Self.configuration.count)]) + Self.configuration] {
      let sealed = try #require(ObliviousKey(configuration)?.seal(Data("request".utf8)))
      let (request, answer) = try #require(ObliviousKey.open(sealed.message, privateKey: Self.privateKey))
      #expect(request == Data("request".utf8))
      #expect(sealed.answer.open(try #require(answer.seal(Data("response".utf8)))) == Data("response".utf8))
      #expect(sealed.answer.open(Data()) == nil && sealed.answer.open(Data(count: 100)) == nil)
    }
  }

  @Test(arguments: [0x0010, 0x0020] as [UInt16], [1, 2] as [UInt16])
  func eachAlgorithmCarriesBothWays(_ encapsulation: UInt16, _ derivation: UInt16) throws {
    for encryption in [1, 2, 3] as [UInt16] {
      let made = try #require(ObliviousKey.make(encapsulation: encapsulation, derivation: derivation, encryption: encryption))
      let sealed = try #require(ObliviousKey(made.configuration)?.seal(Data(count: 100_000)))
      let (request, answer) = try #require(ObliviousKey.open(sealed.message, privateKey: made.privateKey))
      #expect(request == Data(count: 100_000))
      #expect(sealed.answer.open(try #require(answer.seal(Data()))) == Data())
      var damaged = sealed.message
      damaged[damaged.count - 1] ^= 1
      #expect(ObliviousKey.open(damaged, privateKey: made.privateKey) == nil)
    }
  }

  @Test func otherConfigurationsAreNone() throws {
    #expect(ObliviousKey(Data()) == nil)
    for length in 0..<Self.configuration.count { #expect(ObliviousKey(Self.configuration.prefix(length)) == nil, "\(length)") }
    // An unknown encapsulation in a list is passed over.
    let unknown = Data([0, 9, 7, 0x12, 0x34, 1, 2, 3, 4, 5, 6])
    #expect(ObliviousKey(unknown) == nil)
    #expect(ObliviousKey(unknown + [0, UInt8(Self.configuration.count)] + Self.configuration) == ObliviousKey(Self.configuration))
    // A point that isn't on the curve is noticed when something is sealed to it.
    let offCurve = Data([1, 0, 0x10]) + Data(repeating: 4, count: 65) + Data([0, 4, 0, 1, 0, 1])
    #expect(ObliviousKey(offCurve)?.seal(Data()) == nil)
  }
}
