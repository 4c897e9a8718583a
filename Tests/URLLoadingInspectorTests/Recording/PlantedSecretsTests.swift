#if Inspector
  import Foundation
  import Testing
  import URLLoadingSystem
  import URLLoadingTestKit

  @testable import URLLoadingInspector

  /// No secret that passes a recorder is anywhere in what it keeps.
  @Suite(.timeLimit(.minutes(10))) struct PlantedSecretsTests {
    /// All planted values begin so.
    private static let mark = "pl4nt3d"

    private static func secret(_ number: Int) -> String { "\(mark)-\(number)-abcdefgh" }

    private func plant(_ server: TestServer) -> URLRequest {
      let secret = PlantedSecretsTests.secret
      let key = "-----BEGIN PRIVATE KEY-----\\n\(secret(1))\\n-----END PRIVATE KEY-----"
      let reply = """
        {"access_token":"\(secret(2))","refresh_token":"\(secret(3))","data":{"client_secret":"\(secret(4))"},"pem":"\(key)",
        "credentials":{"a":["\(secret(5))"]},"nested":"{\\"password\\":\\"\(secret(6))\\"}","session_id":\"\(secret(7))"}
        """
      server.route(
        "/login", .POST,
        reply: Reply(
          headers: [
            "Content-Type": "application/json", "Set-Cookie": "sid=\(secret(8)); Path=/", "Set-Cookie": "\(secret(9))",
            "X-Auth-Token": secret(10), "Location": "https://u:\(secret(11))@h/?token=\(secret(12))", "X-Refresh-Token": secret(13),
          ], body: .text(reply)))
      var components = URLComponents(url: server.url("/login"), resolvingAgainstBaseURL: false) ?? URLComponents()
      components.queryItems = [
        URLQueryItem(name: "api_key", value: secret(14)), URLQueryItem(name: "X-Amz-Signature", value: secret(15)),
        URLQueryItem(name: "sig", value: secret(16)), URLQueryItem(name: "user[password]", value: secret(17)),
        URLQueryItem(name: "page", value: "1"),
      ]
      components.fragment = "id_token=\(secret(18))"
      var request = URLRequest(url: components.url ?? server.url())
      request.httpMethod = "POST"
      for (name, value) in [
        ("Authorization", "Bearer \(secret(19))"), ("Proxy-Authorization", "Basic \(secret(20))"),
        ("Cookie", "a=\(secret(21)); b=\(secret(22))"),
        ("X-Api-Key", secret(23)), ("X-CSRF-Token", secret(24)), ("X-Amz-Security-Token", secret(25)),
        ("Referer", "https://u:\(secret(26))@h/"),
        ("X-Room", secret(27)), ("Content-Type", "application/x-www-form-urlencoded"),
      ] { request.setValue(value, forHTTPHeaderField: name) }
      request.httpBody = Data("user=a&password=\(secret(28))&otp=\(secret(29))&room_number=\(secret(30))&note=Bearer%20\(secret(31))".utf8)
      return request
    }

    @Test func thirtySecretsAreNowhere() async throws {
      var options = URLSessionInspector.Options()
      options.spillThreshold = 0
      options.redaction.names = ["X-Room", "room_number", "note"]
      try await TestServer.with(.http) { server in
        let inspector = URLSessionInspector(options)
        let configuration = URLSessionConfiguration.testing()
        configuration.inspector = inspector
        configuration.httpShouldSetCookies = false
        let request = plant(server)
        let (data, _) = try await URLSession(configuration: configuration).data(for: request)
        #expect(String(decoding: data, as: UTF8.self).contains(PlantedSecretsTests.mark))
        let form = Data("user=b&password=\(PlantedSecretsTests.secret(32))".utf8)
        _ = try await URLSession(configuration: configuration).upload(for: request, from: form)
        inspector.settle()
        #expect(inspector.count == 2)
        #expect(inspector.transfers.allSatisfy { $0.request.body?.count ?? 0 > 0 && $0.response?.body?.count ?? 0 > 0 })

        var texts = [String(decoding: inspector.har(), as: UTF8.self), String(decoding: inspector.jsonLines(), as: UTF8.self)]
        texts.append(String(decoding: ReportDocument.data(inspector.transfers, title: "t"), as: UTF8.self))
        texts += inspector.transfers.map { "\($0)\(CommandText.curl($0))\(CommandText.swift($0))" }
        texts += inspector.transfers.map { String(decoding: PageMessages.details($0).data, as: UTF8.self) }
        let folder = try #require(inspector.folder.path)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!files.isEmpty)
        texts += files.map { String(decoding: FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data(), as: UTF8.self) }
        for text in texts {
          let place = text.range(of: PlantedSecretsTests.mark)
          let context = place.map { "\(text[..<$0.lowerBound].suffix(40))\(text[$0.lowerBound...].prefix(24))" }
          #expect(context == nil)
        }
      }
    }
  }
#endif
