#if HTTPTypes
  import Foundation
  import Testing
  import URLLoadingHTTPTypes
  import URLLoadingSystem

  struct HTTPTypesConversionTests {
    private var url: URL {
      get throws { try #require(URL(string: "https://example.com:8080/a/b?c=d")) }
    }

    @Test func requestKeepsMethodURLAndFields() throws {
      let url = try url
      var request = HTTPRequest(method: .put, url: url, headerFields: [.accept: "text/html"])
      request.headerFields[.userAgent] = "agent"
      let converted = try #require(URLRequest(httpRequest: request))
      #expect(converted.httpMethod == "PUT")
      #expect(converted.url == url)
      #expect(converted.allHTTPHeaderFields == ["Accept": "text/html", "User-Agent": "agent"])
      let back = try #require(converted.httpRequest)
      #expect(back.method == .put)
      #expect(back.url == url)
      #expect(back.authority == "example.com:8080")
      #expect(back.path == "/a/b?c=d")
      #expect(back.headerFields[.accept] == "text/html")
      #expect(back.headerFields.count == 2)
    }

    @Test func fieldsOfOneNameAreJoined() throws {
      var request = HTTPRequest(url: try url)
      request.headerFields.append(HTTPField(name: .accept, value: "a"))
      request.headerFields.append(HTTPField(name: .accept, value: "b"))
      request.headerFields.append(HTTPField(name: .cookie, value: "c=1"))
      request.headerFields.append(HTTPField(name: .cookie, value: "d=2"))
      let converted = try #require(URLRequest(httpRequest: request))
      #expect(converted.value(forHTTPHeaderField: "Accept") == "a, b")
      #expect(converted.value(forHTTPHeaderField: "Cookie") == "c=1; d=2")
    }

    @Test func valuesMayBeUTF8OrLatin1() throws {
      var request = HTTPRequest(url: try url)
      request.headerFields[try #require(HTTPField.Name("X-A"))] = "ä€"
      request.headerFields.append(HTTPField(name: try #require(HTTPField.Name("X-B")), value: [0x61, 0xE4]))
      let converted = try #require(URLRequest(httpRequest: request))
      #expect(converted.value(forHTTPHeaderField: "X-A") == "ä€")
      #expect(converted.value(forHTTPHeaderField: "X-B") == "aä")
    }

    @Test func webSocketsAreExtendedConnects() throws {
      for (scheme, legacy) in [("https", "wss"), ("http", "ws")] {
        let request = URLRequest(url: try #require(URL(string: "\(legacy)://example.com/feed")))
        let converted = try #require(request.httpRequest)
        #expect(converted.method == .connect)
        #expect(converted.scheme == scheme)
        #expect(converted.extendedConnectProtocol == "websocket")
        #expect(URLRequest(httpRequest: converted) == request)
      }
    }

    @Test func whatMakesNoURLIsNil() throws {
      #expect(URLRequest(httpRequest: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)) == nil)
      #expect(URLRequest(httpRequest: HTTPRequest(method: .connect, scheme: "https", authority: "a", path: "/")) == nil)
      #expect(URLRequest(httpRequest: HTTPRequest(method: .options, scheme: "https", authority: "a", path: "*")) == nil)
      #expect(URLRequest(url: try #require(URL(string: "/relative"))).httpRequest == nil)
      var method = URLRequest(url: try url)
      method.httpMethod = "NO TOKEN"
      #expect(method.httpRequest == nil)
    }

    @Test func responseKeepsStatusAndFields() throws {
      var response = HTTPResponse(status: .notFound, headerFields: [.contentType: "text/plain; charset=utf-8", .contentLength: "5"])
      response.headerFields.append(HTTPField(name: .vary, value: "a"))
      response.headerFields.append(HTTPField(name: .vary, value: "b"))
      let converted = try #require(HTTPURLResponse(httpResponse: response, url: try url))
      #expect(converted.statusCode == 404)
      #expect(converted.mimeType == "text/plain")
      #expect(converted.expectedContentLength == 5)
      #expect(converted.value(forHTTPHeaderField: "Vary") == "a, b")
      let back = try #require(converted.httpResponse)
      #expect(back.status == .notFound)
      #expect(back.headerFields[.vary] == "a, b")
      #expect(back.headerFields[.contentType] == "text/plain; charset=utf-8")
    }

    @Test(arguments: [-1, 1000, .max]) func statusOutOfRangeIsNil(status: Int) throws {
      let response = HTTPURLResponse(url: try url, statusCode: status, httpVersion: nil, headerFields: nil)
      #expect(try #require(response).httpResponse == nil)
    }
  }
#endif
