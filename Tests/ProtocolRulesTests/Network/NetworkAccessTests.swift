import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

struct NetworkAccessTests {
  typealias Interface = NetworkConditions.Interface

  private func request(_ change: (inout LoadRequest.Fields) -> Void) -> LoadRequest {
    var fields = LoadRequest(url: nil).fields
    change(&fields)
    return LoadRequest(fields)
  }

  @Test func aRequestThatSaysNothingTakesTheSessions() {
    let silent = LoadRequest(url: nil)
    #expect(NetworkAccessRules.access(of: silent, session: .all) == .all)
    #expect(NetworkAccessRules.access(of: silent, session: [.expensive]) == [.expensive])
  }

  @Test func cellularIsOpenOnlyIfBothSaySo() {
    let wide = request { $0.allowsCellularAccess = true }
    let narrow = request { $0.allowsCellularAccess = false }
    #expect(NetworkAccessRules.access(of: wide, session: []) == [])
    #expect(NetworkAccessRules.access(of: narrow, session: .all) == [.expensive, .constrained])
  }

  @Test func expensiveAndConstrainedAreTheRequestsOwnChoiceInBothDirections() {
    let wide = request {
      $0.allowsExpensiveNetworkAccess = true
      $0.allowsConstrainedNetworkAccess = true
    }
    let narrow = request { $0.allowsConstrainedNetworkAccess = false }
    #expect(NetworkAccessRules.access(of: wide, session: [.cellular]) == .all)
    #expect(NetworkAccessRules.access(of: narrow, session: .all) == [.cellular, .expensive])
  }

  @Test func theObstacleIsTheFirstSettingThatForbids() {
    let phone = Interface("wwan0", .cellular, metering: .declared)
    #expect(NetworkAccessRules.obstacle(on: phone, to: []) == .cellular)
    #expect(NetworkAccessRules.obstacle(on: phone, to: [.cellular]) == .expensive)
    #expect(NetworkAccessRules.obstacle(on: phone, to: [.cellular, .expensive]) == .constrained)
    #expect(NetworkAccessRules.obstacle(on: phone, to: .all) == nil)
  }

  @Test func aHotspotIsExpensiveAndOneDeclaredMeteredIsConstrainedToo() {
    let hotspot = Interface("wlan0", .wifi, metering: .supposed)
    let declared = Interface("wlan0", .wifi, metering: .declared)
    #expect(NetworkAccessRules.obstacle(on: hotspot, to: [.cellular, .constrained]) == .expensive)
    #expect(NetworkAccessRules.obstacle(on: hotspot, to: [.expensive]) == nil)
    #expect(NetworkAccessRules.obstacle(on: declared, to: [.expensive]) == .constrained)
  }

  @Test func oneOpenWayIsEnough() {
    let both = NetworkConditions([
      Interface("eth0", .wired, hasDefaultRoute: true), Interface("wwan0", .cellular, hasDefaultRoute: true),
    ])
    let phone = NetworkConditions([Interface("eth0", .wired), Interface("wwan0", .cellular, hasDefaultRoute: true)])
    #expect(NetworkAccessRules.obstacle(in: both, to: []) == nil)
    #expect(NetworkAccessRules.obstacle(in: phone, to: []) == .cellular)
    #expect(NetworkAccessRules.obstacle(in: NetworkConditions([]), to: []) == nil)
  }

  @Test func loopbackAndTheLinkReachNobodyElse() {
    let loopback = Interface("lo", .loopback, addresses: ["127.0.0.1", "::1"])
    let link = Interface("eth0", .wired, addresses: ["fe80::1"])
    #expect(!NetworkConditions([loopback, link]).reachesOthers)
    #expect(NetworkConditions([loopback, Interface("eth0", .wired, addresses: ["192.0.2.7"])]).reachesOthers)
  }

  @Test func anAddressOfALinkIsFoundWithItsZone() {
    let conditions = NetworkConditions([Interface("eth0", .wired, addresses: ["fe80::1"])])
    #expect(conditions.interface(of: "fe80::1%eth0")?.name == "eth0")
    #expect(!conditions.has("fe80::2"))
  }

  @Test func defaultRoutesAreReadFromTheKernelsTables() {
    let v4 = """
      Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
      eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
      wwan0\t00000000\t0100000B\t0000\t0\t0\t100\t00000000\t0\t0\t0
      eth1\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
      dead\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0
      short line
      """
    #expect(RouteTables.defaultInterfaces(v4: v4) == ["eth0"])
    let zeros = String(repeating: "0", count: 32)
    let v6 = """
      \(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
      \(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo
      fe800000000000000000000000000000 40 \(zeros) 00 \(zeros) 00000100 00000001 00000000 00000001     eth1
      """
    #expect(RouteTables.defaultInterfaces(v6: v6) == ["eth0"])
  }
}
