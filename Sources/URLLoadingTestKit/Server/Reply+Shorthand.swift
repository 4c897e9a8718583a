#if TestKit
  import Foundation

  extension Reply {
    /// A `text/plain` reply.
    public static func text(_ text: String, status: Int = 200) -> Reply {
      Reply(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .text(text))
    }

    /// An `application/json` reply of `object`, keys sorted. An object that JSON can't express gives a reply of status 500.
    public static func json(_ object: Any, status: Int = 200) -> Reply {
      guard JSONSerialization.isValidJSONObject(object),
        let bytes = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
      else { return .text("The route's object can't be written as JSON.\n", status: 500) }
      return Reply(status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// A redirection to `location`, which may be relative.
    public static func redirect(to location: String, status: Int = 302) -> Reply {
      Reply(status, headers: ["Location": location])
    }

    /// `content` in content coding gzip. The coded bytes are valid but not smaller: for tests of decoding, not of size.
    public static func gzip(_ content: Data, headers: HeaderList = [:]) -> Reply {
      coded(StoredDeflate.gzip(content), as: "gzip", headers)
    }

    /// `content` in content coding deflate (a zlib stream, RFC 9110, 8.4.1.2), or as the bare deflate stream that some servers send.
    public static func deflate(_ content: Data, headers: HeaderList = [:], bare: Bool = false) -> Reply {
      coded(bare ? StoredDeflate.bare(content) : StoredDeflate.zlib(content), as: "deflate", headers)
    }

    /// A copy of this reply with additional faults.
    public func with(_ faults: Fault...) -> Reply {
      var reply = self
      reply.faults += faults
      return reply
    }

    static func coded(_ bytes: Data, as coding: String, _ headers: HeaderList) -> Reply {
      var reply = Reply(headers: headers, body: .bytes(bytes))
      reply.headers["Content-Encoding"] = coding
      return reply
    }
  }
#endif
