import Foundation
@testable import LoadingModel

@testable import HTTPTransport
@testable import ProtocolRules

extension FuzzTarget {
  /// A question for `a.test`, and what is answered about it: header, question, answers.
  private static func answer(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
    let name: [UInt8] = [1, 0x61, 4, 0x74, 0x65, 0x73, 0x74, 0]
    return [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + name + [0, type, 0, 1] + [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60]
      + [0, UInt8(data.count)] + data
  }

  static let names = [
    FuzzTarget(
      "dns",
      binary: [[0] + answer(1, [127, 0, 0, 1]), [1] + answer(28, Array(repeating: 1, count: 16)), [0] + answer(5, [1, 0x62, 0xC0, 14])]
    ) { bytes in
      var input = FuzzInput(bytes)
      let type: DNSQuestion.RecordType = input.bit() ? .v6 : .v4
      guard let name = DNSName("a.test") else { return }
      _ = try? AddressAnswer(input.bytes(), to: DNSQuestion(name, type))
    },
    FuzzTarget(
      "https-records",
      binary: [
        answer(65, [0, 1, 0, 0, 1, 0, 3, 2, 0x68, 0x33, 0, 3, 0, 2, 1, 0xBB]), answer(65, [0, 0, 1, 0x62, 0]),
        answer(65, [0, 1, 0, 0, 0, 0, 4, 0, 1, 0, 3, 0, 4, 0, 4, 127, 0, 0, 1]),
      ]
    ) { bytes in
      guard let name = DNSName("a.test") else { return }
      _ = ServiceBindingAnswer(Array(bytes), to: name)
      _ = ServiceBinding(Array(bytes))
    },
    FuzzTarget(
      "encrypted-hello-keys",
      binary: [
        [0, 57, 0xFE, 0x0D, 0, 53, 1, 0, 32, 0, 32] + Array(repeating: 9, count: 32) + [0, 4, 0, 1, 0, 1, 64, 6]
          + Array("a.test".utf8) + [0, 0]
      ]
    ) { bytes in
      guard let keys = EncryptedHelloKeys(Array(bytes)) else { return }
      expect(!keys.publicName.isEmpty, "no public name")
      var plan = EncryptedHelloPlan(.automatic)
      plan.found(keys)
      _ = plan.rejected(Array(bytes.dropFirst()))
    },
    FuzzTarget("hosts-table", seeds: ["127.0.0.1 localhost\n::1 a.test # comment\n10.0.0.1\ta.test b\r\n"]) { bytes in
      _ = HostsTable.addresses(of: "a.test", in: Array(bytes))
    },
    FuzzTarget("nsswitch", seeds: ["hosts: files mdns4_minimal [NOTFOUND=return] dns\n# x\nhosts:\tdns [!UNAVAIL=return]"]) { bytes in
      var input = FuzzInput(bytes)
      _ = NameServices(configuration: input.text()).maySplit("a.test")
    },
    FuzzTarget("kernel-messages", binary: [[20, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]) { bytes in
      _ = KernelMessages.concernAddresses(Array(bytes))
    },
    FuzzTarget("host-and-port", seeds: ["host:1", "[::1]:65535", "a:b:c", ":", "[", "::1"]) { bytes in
      var input = FuzzInput(bytes)
      let text = input.text()
      _ = HostAndPort(text)
      _ = ConnectTable([text: text]).place(of: "a.test", 443)
      _ = AddressTable([text: [text]]).addresses(of: "a.test", 443)
      _ = DNSName(text)
    },
    FuzzTarget("public-suffixes", seeds: ["com\n*.ck\n!www.ck\n// x\nco.uk"]) { bytes in
      var input = FuzzInput(bytes)
      let list = PublicSuffixList(input.text()) { $0 }
      _ = list.isPublicSuffix("a.b.ck")
    },
    FuzzTarget("urls", seeds: ["https://user:pw@[::1%25lo]:81/a?b#c", "http+unix://%2Frun%2Fa.sock/x", "file:///a", "HTTP://A..b/%"]) {
      bytes in
      var input = FuzzInput(bytes)
      guard let url = URL(string: input.text()) else { return }
      guard let target = Target(url) else { return }
      expect(!target.origin.host.isEmpty || target.origin.isUnixSocket, "no host")
      _ = CookieURL(url)
      _ = try? FTPResource(path: url.path(percentEncoded: true))
    },
  ]
}
