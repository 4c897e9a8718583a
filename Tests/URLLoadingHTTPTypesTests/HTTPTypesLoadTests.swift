#if HTTPTypes
  import Foundation
  import Testing
  import URLLoadingHTTPTypes
  import URLLoadingSystem
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct HTTPTypesLoadTests {
    private func serve(_ reply: Reply, _ body: (TestServer, URLSession) async throws -> Void) async throws {
      try await TestServer.with(.http) { server in
        server.route("/", reply: reply)
        let session = URLSession(configuration: .testing())
        try await body(server, session)
        session.invalidateAndCancel()
      }
    }

    @Test func everyFormSendsTheRequestAndReturnsTheResponse() async throws {
      try await serve(.text("content", status: 201)) { server, session async throws in
        let get = HTTPRequest(url: server.url(), headerFields: [.accept: "text/plain"])
        let (data, response) = try await session.data(for: get)
        #expect(data == Data("content".utf8))
        #expect(response.status == .created)
        #expect(response.headerFields[.contentType] == "text/plain; charset=utf-8")
        let (bytes, head) = try await session.bytes(for: get)
        #expect(head.status == .created)
        #expect(try await bytes.lines.reduce("", +) == "content")
        let (file, told) = try await session.download(for: get)
        #expect(told.status == .created)
        #expect(try Data(contentsOf: file) == data)
        var put = HTTPRequest(method: .put, url: server.url())
        put.headerFields[.contentType] = "text/x"
        #expect(try await session.upload(for: put, from: Data("sent".utf8)).1.status == .created)
        #expect(try await session.upload(for: put, fromFile: file, delegate: nil).1.status == .created)
        try FileManager.default.removeItem(at: file)
        var form = URLSessionMultipartFormData()
        form.append("a", name: "b")
        #expect(try await session.upload(for: put, multipart: form).1.status == .created)
        #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "PUT", "PUT", "PUT"])
        #expect(server.requests.prefix(3).allSatisfy { $0.headers["Accept"] == "text/plain" })
        #expect(server.requests[3...4].map { $0.headers["Content-Type"] } == ["text/x", "text/x"])
        #expect(server.requests[3...4].map(\.text) == ["sent", "content"])
      }
    }

    @Test func cookiesAreReceivedApart() async throws {
      let reply = Reply(headers: ["Set-Cookie": "a=1; Path=/x", "Set-Cookie": "b=2"])
      try await serve(reply) { server, session async throws in
        let (_, response) = try await session.data(for: HTTPRequest(url: server.url()))
        #expect(response.headerFields[values: .setCookie] == ["a=1; Path=/x", "b=2"])
      }
    }

    @Test func taskShowsItsRequestsAndItsResponse() async throws {
      try await TestServer.with(.http) { server in
        server.route("/", reply: .redirect(to: "/there"))
        server.route("/there", reply: .text("ok"))
        let session = URLSession(configuration: .testing())
        let (bytes, _) = try await session.bytes(for: HTTPRequest(url: server.url()))
        #expect(bytes.task.originalHTTPRequest?.path == "/")
        #expect(bytes.task.currentHTTPRequest?.path == "/there")
        #expect(bytes.task.httpResponse?.status == .ok)
        session.invalidateAndCancel()
      }
    }

    @Test func requestWithoutAURLIsAnError() async {
      let request = HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")
      let session = URLSession(configuration: .testing())
      let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
      #expect(error?.code == .badURL)
      session.invalidateAndCancel()
    }

    @Test func responseOfAnotherSchemeIsAnError() async throws {
      let session = URLSession(configuration: .testing())
      let request = HTTPRequest(method: .get, scheme: "file", authority: "", path: "/etc/hostname")
      let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
      #expect(error?.code == .badServerResponse)
      session.invalidateAndCancel()
    }
  }
#endif
