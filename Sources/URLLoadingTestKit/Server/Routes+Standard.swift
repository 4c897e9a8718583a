#if TestKit
  import Foundation

  extension TestServer.Routes {
    /// The routes of a small HTTP test service, with which a client can be tested without the internet.
    ///
    /// - `/get`, `/post`, `/anything/*`: any method; JSON with method, URL, arguments, headers, body length and text
    /// - `/headers`, `/cookies`: the request's header fields or cookies, as JSON
    /// - `/status/{code}`: an empty reply with this status, 200 to 999
    /// - `/bytes/{count}`: letters a to z over and over; `/stream/{lines}`: lines of JSON, chunked; `/drip?count=&gate=&seconds=`: single bytes, each
    ///   of which waits for the named gate or for this many seconds
    /// - `/delay/{gate}`: replies once the gate of this name opens, or after this many seconds if the name is a number
    /// - `/redirect/{count}`, `/relative-redirect/{count}`: this many redirects, by absolute URL or by path, and then `/get`;
    ///   `/redirect-to?url=&status=`: one redirect to this URL
    /// - `/gzip`, `/deflate`, `/deflate-bare`: a compressed JSON document
    /// - `/range/{count}`: as `/bytes`, with support for ranges; `/etag/{tag}`: conditional on the entity tag; `/cache`: conditional on any
    ///   validator; `/cache/{seconds}`: with this `max-age`
    /// - `/cookies/set?name=value`, `/cookies/delete?name`: sets or deletes cookies, then redirects to `/cookies`
    /// - `/basic-auth/{user}/{password}`: 401 without these credentials
    public static var standard: TestServer.Routes {
      var routes = TestServer.Routes()
      routes.addEchoes()
      routes.addBodies()
      routes.addRedirections()
      routes.addCookies()
      routes.addConditional()
      routes.addAuthentication()
      return routes
    }

    private mutating func addEchoes() {
      for path in ["/get", "/post", "/anything/*"] { add(path) { .json(StandardReplies.echo($0)) } }
      add("/headers") { .json(["headers": StandardReplies.headers($0)]) }
      add("/status/{code}") { request in
        guard let code = request.number("code"), (200...999).contains(code) else { return StandardReplies.badParameter }
        return Reply(code)
      }
    }

    private mutating func addBodies() {
      add("/bytes/{count}") { request in
        guard let count = request.number("count") else { return StandardReplies.badParameter }
        return Reply(headers: ["Content-Type": "application/octet-stream"], body: .pattern(count: count))
      }
      add("/stream/{lines}") { request in
        guard let lines = request.number("lines"), lines <= 100_000 else { return StandardReplies.badParameter }
        let chunks = (0..<lines).map { Data("{\"id\":\($0),\"url\":\"/stream/\(lines)\"}\n".utf8) }
        return Reply(headers: ["Content-Type": "application/x-ndjson"], body: .chunks(chunks))
      }
      add("/drip") { request, replySource in
        guard let count = Int(request.argument("count") ?? "10"), count >= 0 else { return StandardReplies.badParameter }
        let timed = request.argument("seconds").flatMap { Double($0) }.map { Gate.timed(seconds: $0) }
        let gate = request.argument("gate").map { replySource.gate($0) } ?? timed
        return Reply(body: .repeating(UInt8(ascii: "*"), count: count), faults: [.trickle(chunkSize: 1, gate: gate)])
      }
      add("/delay/{gate}") { request, replySource in
        let name = request.parameters["gate"] ?? ""
        let gate = Double(name).map { Gate.timed(seconds: $0) } ?? replySource.gate(name)
        return Reply.json(StandardReplies.echo(request)).with(.delayBeforeHeaders(gate))
      }
      let json: HeaderList = ["Content-Type": "application/json", "Vary": "Accept-Encoding"]
      add("/gzip", reply: .coded(CompressedDocument.gzip, as: "gzip", json))
      add("/deflate", reply: .coded(CompressedDocument.zlib, as: "deflate", json))
      add("/deflate-bare", reply: .coded(CompressedDocument.bare, as: "deflate", json))
    }

    private mutating func addRedirections() {
      add("/redirect/{count}") { request in
        guard let count = request.number("count") else { return StandardReplies.badParameter }
        return .redirect(to: request.root + (count > 1 ? "/redirect/\(count - 1)" : "/get"))
      }
      add("/relative-redirect/{count}") { request in
        guard let count = request.number("count") else { return StandardReplies.badParameter }
        return .redirect(to: count > 1 ? "/relative-redirect/\(count - 1)" : "/get")
      }
      add("/redirect-to") { request in
        guard let url = request.argument("url"), let status = Int(request.argument("status") ?? "302"), (300...399).contains(status)
        else { return StandardReplies.badParameter }
        return .redirect(to: url, status: status)
      }
    }

    private mutating func addCookies() {
      add("/cookies") { .json(["cookies": StandardReplies.cookies($0)]) }
      add("/cookies/set") { request in
        var reply = Reply.redirect(to: "/cookies")
        for (name, value) in request.query { reply.headers.add("Set-Cookie", "\(name)=\(value); Path=/") }
        return reply
      }
      add("/cookies/delete") { request in
        var reply = Reply.redirect(to: "/cookies")
        for (name, _) in request.query { reply.headers.add("Set-Cookie", "\(name)=; Path=/; Max-Age=0") }
        return reply
      }
    }

    private mutating func addConditional() {
      add("/range/{count}") { request in
        guard let count = request.number("count") else { return StandardReplies.badParameter }
        return StandardReplies.range(of: count, request)
      }
      add("/etag/{tag}") { request in
        StandardReplies.conditional(request, tag: "\"\(request.parameters["tag"] ?? "")\"", headers: [:])
      }
      add("/cache") { request in
        let isConditional = request.headers.contains(name: "If-None-Match") || request.headers.contains(name: "If-Modified-Since")
        var reply = isConditional ? Reply(304) : .json(StandardReplies.echo(request))
        reply.headers["ETag"] = "\"cache\""
        reply.headers["Last-Modified"] = "Thu, 01 Jan 2015 00:00:00 GMT"
        return reply
      }
      add("/cache/{seconds}") { request in
        guard let seconds = request.number("seconds") else { return StandardReplies.badParameter }
        return StandardReplies.conditional(request, tag: "\"cache\"", headers: ["Cache-Control": "public, max-age=\(seconds)"])
      }
    }

    private mutating func addAuthentication() {
      add("/basic-auth/{user}/{password}") { request in
        let user = request.parameters["user"] ?? ""
        let expected = Data("\(user):\(request.parameters["password"] ?? "")".utf8).base64EncodedString()
        guard request.headers["Authorization"] == "Basic \(expected)" else {
          return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"test\", charset=\"UTF-8\""])
        }
        return .json(["authenticated": true, "user": user])
      }
    }
  }
#endif
