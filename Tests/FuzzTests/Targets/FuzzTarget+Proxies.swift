import Foundation
@testable import LoadingModel

@testable import ProtocolRules

extension FuzzTarget {
  private static let reached = Origin(scheme: "https", host: "a.test", port: 443)

  static let proxies = [
    FuzzTarget(
      "socks",
      binary: [
        [0, 3, 5, 0, 5, 0, 0, 1, 127, 0, 0, 1, 0, 80], [1, 1, 5, 2, 1, 0, 5, 0, 0, 3, 1, 0x61, 0, 80], [2, 9, 0, 90, 0, 0, 0, 0, 0, 0],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let kind: Proxy.Kind = [.socks5, .socks5h, .socks4a][input.number(below: 3)]
      let proxy = Proxy(kind, host: "p.test", port: 1080, login: Proxy.Login(user: "u", password: "p"))
      guard var handshake = try? SOCKSHandshake(proxy, to: reached, address: nil) else { return }
      for piece in input.pieces() {
        guard let step = try? handshake.receive(piece), step != .open else { break }
      }
      _ = handshake.takeGreeting()
    },
    FuzzTarget(
      "binary-http",
      binary: [
        [1, 0x40, 200, 4, 1, 0x61, 1, 0x62, 1, 0x63, 0], [3, 0x40, 200, 1, 0x61, 1, 0x62, 0, 2, 0x63, 0x64, 0, 0],
        [1, 0x40, 103, 0, 0x40, 204, 0, 0, 0, 0],
      ]
    ) { bytes in
      guard let response = try? BinaryHTTP.response(Data(bytes)) else { return }
      expect((200...599).contains(response.head.status), "\(response.head.status)")
      for (name, value) in response.head.headers.entries + response.trailers.entries {
        expect(FieldSyntaxRules.isToken(name) && FieldSyntaxRules.isFieldValue(value), "\(name): \(value)")
      }
    },
    FuzzTarget(
      "oblivious-keys",
      binary: [
        [1, 0, 0x20] + Array(repeating: 9, count: 32) + [0, 4, 0, 1, 0, 1], [0, 9, 7, 0x12, 0x34, 1, 2, 3, 4, 5, 6],
        [0, 41, 1, 0, 0x20] + Array(repeating: 9, count: 32) + [0, 4, 0, 1, 0, 3],
      ]
    ) { bytes in
      _ = ObliviousKey(Data(bytes))?.seal(Data([1]))
    },
    FuzzTarget("pac-answers", seeds: ["PROXY a:1; SOCKS5 [::1]:2; DIRECT", "HTTPS p;;QUIC x:1", "proxy  a"]) { bytes in
      var input = FuzzInput(bytes)
      _ = try? ProxyScriptAnswer.routes(input.text(), to: reached)
    },
    FuzzTarget("proxy-addresses", seeds: ["http://u:p%40@h:8080/", "socks5h://[::1]", "h", "://", "all,.local, *.a, 10.0.0.0/8"]) { bytes in
      var input = FuzzInput(bytes)
      let text = input.text()
      _ = ProxyAddress.parse(text, named: "http_proxy")
      for pattern in ProxySettings.noProxy(text) { _ = pattern.matches(reached) }
      _ = try? ProxySettings { $0.hasSuffix("proxy") ? text : nil }.choice(for: reached)
    },
    FuzzTarget(
      "desktop-proxies",
      seeds: [
        "org.gnome.system.proxy mode 'manual'\norg.gnome.system.proxy.http host 'h'\norg.gnome.system.proxy.http port 8080\n"
          + "org.gnome.system.proxy ignore-hosts ['localhost', '127.0.0.0/8']",
        "[Proxy Settings]\nProxyType=1\nhttpProxy=http://h 8080\nNoProxyFor=a,b\nReversedException=true",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let text = input.text()
      _ = try? ProxySettings(gsettings: text).choice(for: reached)
      _ = try? ProxySettings(kioslaverc: text, environment: { _ in text }).choice(for: reached)
    },
  ]
}
