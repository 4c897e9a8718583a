import ProtocolRules
import Testing

struct HostsTableTests {
  private static let table = """
    # 192.0.2.9 commented.test
    127.0.0.1\tlocalhost
    10.0.0.1  one.test  One-Alias.test # trailing.test
    ::1 six.test
    10.0.0.2 one.test\r
    nonsense wrong.test
    0.0.0.0 blocked.test#comment
    10.0.0.1 one.test
    10.0.0.3
    """

  @Test(
    arguments: [
      ("one.test", ["10.0.0.1", "10.0.0.2"]), ("ONE.test.", ["10.0.0.1", "10.0.0.2"]), ("one-alias.TEST", ["10.0.0.1"]),
      ("six.test", ["::1"]), ("blocked.test", ["0.0.0.0"]), ("commented.test", []), ("trailing.test", []), ("wrong.test", []),
      ("comment", []), ("10.0.0.1", []), ("one", []), ("", []), (".", []),
    ])
  func tableNames(_ name: String, _ addresses: [String]) {
    #expect(HostsTable.addresses(of: name, in: Array(HostsTableTests.table.utf8)).map(\.text) == addresses)
  }

  @Test(
    arguments: [
      (nil, true, true), ("passwd: files", true, true), ("hosts: files dns", true, true), ("hosts: dns files", false, true),
      ("  hosts:\tfiles mdns4_minimal [NOTFOUND=return] dns # files", true, true), ("#hosts: dns\nhosts: files", true, true),
      ("hosts: resolve [!UNAVAIL=return] files dns", true, true), ("hosts: files [SUCCESS=return UNAVAIL=return] nis dns", true, false),
      ("hosts: files libvirt dns", true, false), ("hosts: dns", false, true), ("hosts:", false, true),
    ] as [(String?, Bool, Bool)])
  func systemSaysWhoIsAsked(_ configuration: String?, _ tableComesFirst: Bool, _ maySplit: Bool) {
    let services = NameServices(configuration: configuration)
    #expect(services.tableComesFirst == tableComesFirst)
    #expect(services.maySplit("www.example.org") == maySplit)
    // Services on the machine or its link may know these, in one family alone.
    for name in ["printer.local", "printer.LOCAL.", "host"] { #expect(!services.maySplit(name)) }
  }
}
