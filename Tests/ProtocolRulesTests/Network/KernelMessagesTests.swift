import ProtocolRules
import Testing

struct KernelMessagesTests {
  private func message(_ kind: UInt16, length: UInt32? = nil, payload: Int = 0) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (16 + payload + 3) & ~3)
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: length ?? UInt32(16 + payload), as: UInt32.self)
      $0.storeBytes(of: kind, toByteOffset: 4, as: UInt16.self)
    }
    return bytes
  }

  @Test(arguments: [16, 17, 20, 21] as [UInt16]) func linksAndAddressesConcernAddresses(_ kind: UInt16) {
    #expect(KernelMessages.concernAddresses(message(kind, payload: 5)))
    #expect(KernelMessages.concernAddresses(message(24, payload: 5) + message(25) + message(kind)))
  }

  @Test(arguments: [24, 25, 28] as [UInt16]) func routesDoNot(_ kind: UInt16) {
    #expect(!KernelMessages.concernAddresses(message(kind, payload: 6) + message(kind)))
  }

  @Test func brokenMessagesComeToAnEnd() {
    #expect(!KernelMessages.concernAddresses([]))
    #expect(!KernelMessages.concernAddresses(Array(message(20).prefix(15))))
    #expect(!KernelMessages.concernAddresses(message(24, length: 0) + message(20)))
    #expect(!KernelMessages.concernAddresses(message(24, length: .max) + message(20)))
  }

  @Test func newsAreWhatIsGone() {
    #expect(NetworkNews(["10.0.0.1", "::1"], now: ["::1", "10.0.0.2"]) == .addresses(lost: ["10.0.0.1"]))
    #expect(NetworkNews(["::1"], now: ["::1", "10.0.0.2"]) == .addresses(lost: []))
    #expect(NetworkNews(["::1"], now: ["::1"]) == .ways)
  }
}
