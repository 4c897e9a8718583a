#if Inspector
  import Foundation
  import LoadingModel

  /// One request and its response, as it is recorded: redirects, repeated requests and logins make a task several transfers.
  ///
  /// A value. Everything in it has been redacted. Times are milliseconds since `start`.
  package struct RecordedTransfer: Sendable, Equatable {
    /// The task that it belongs to.
    package struct Origin: Sendable, Equatable {
      /// The session's number in its process, and the task's in its session.
      package var session = 0
      package var task = 0
      /// "data", "upload", "download", "webSocket" or "stream".
      package var kind = "data"
      package var description: String?
    }

    package struct Request: Sendable, Equatable {
      package var method = "GET"
      package var url = ""
      /// As sent, where the transfer has used the network; else as the app gave them.
      package var fields = HeaderFields()
      /// Bytes on the wire.
      package var headBytes: Int64 = 0
      package var bodyBytes: Int64 = 0
      package var body: RecordedBody?
    }

    package struct Response: Sendable, Equatable {
      package var status = 0
      package var reason = ""
      /// "HTTP/1.1", "HTTP/2", "HTTP/3"; empty for other schemes.
      package var version = ""
      package var fields = HeaderFields()
      package var trailers = HeaderFields()
      package var mediaType = ""
      /// Bytes on the wire.
      package var headBytes: Int64 = 0
      package var bodyBytes: Int64 = 0
      /// Bytes of the body without its content coding.
      package var decodedBytes: Int64 = 0
      package var body: RecordedBody?
    }

    /// Begin and end of each phase; nil for what didn't take place.
    package struct Phases: Sendable, Equatable {
      package var lookupStart: Double?
      package var lookupEnd: Double?
      package var connectStart: Double?
      package var connectEnd: Double?
      package var tlsStart: Double?
      package var tlsEnd: Double?
      package var sendStart: Double?
      package var sendEnd: Double?
      package var receiveStart: Double?
      package var receiveEnd: Double?
      /// The transfer's end, whatever it came to.
      package var end: Double?

      package init() {}
    }

    /// The connection that the transfer used.
    package struct Connection: Sendable, Equatable {
      /// Counted from 1 by the recorder: transfers with the same number shared one connection.
      package var number = 0
      package var protocolName = ""
      package var localPort: Int?
      package var address: String?
      package var port: Int?
      /// "TLS 1.3" and so on; nil without TLS.
      package var tls: String?
      /// IANA number of the cipher suite.
      package var cipherSuite: Int?
      package var isReused = false
      package var isProxied = false
      package var isTLSResumed = false
      package var isTrustOverridden = false
      /// "encrypted", "rejected", "greased" and so on, of the ClientHello; nil where nothing is known of it.
      package var encryptedHello: String?
      /// What became of requests in QUIC's first flight: "accepted" or "refused"; nil where there were none.
      package var earlyData: String?
      /// IANA number of the key exchange's group.
      package var keyExchangeGroup: Int?
      /// What the server has shown, its own certificate first; empty for a session that was resumed.
      package var certificates: [Certificate] = []

      package init() {}
    }

    /// What is known of a connection: put together once, and shared by the transfers that used it alike. Immutable.
    @dynamicMemberLookup
    package final class SharedConnection: Sendable, Equatable {
      package let value: Connection

      package init(_ value: Connection) { self.value = value }

      package subscript<Part>(dynamicMember part: KeyPath<Connection, Part>) -> Part { value[keyPath: part] }

      package static func == (left: SharedConnection, right: SharedConnection) -> Bool { left === right || left.value == right.value }
    }

    /// A certificate of a server's.
    package struct Certificate: Sendable, Equatable {
      /// Its common name, or its organization.
      package var name = ""
      package var issuer = ""
      /// The names and addresses that it is good for.
      package var names: [String] = []
      package var validFrom: Date?
      package var validUntil: Date?
      /// Hexadecimal.
      package var sha256 = ""

      package init() {}
    }

    /// What the cache decided about the request.
    package struct CacheUse: Sendable, Equatable {
      /// "use", "useAndRevalidate", "validate", "fetch", "gatewayTimeout" or "unavailable".
      package var decision: String
      /// `CacheReason` by name.
      package var reason: String

      package init(_ decision: String, _ reason: String) { (self.decision, self.reason) = (decision, reason) }
    }

    /// A message of a WebSocket.
    package struct Message: Sendable, Equatable {
      package var isSent: Bool
      package var isText: Bool
      package var time: Double
      package var size: Int
      /// The message, or its beginning; base64 of binary ones.
      package var content: String

      package init(isSent: Bool, isText: Bool, time: Double, size: Int, content: String) {
        (self.isSent, self.isText, self.time, self.size, self.content) = (isSent, isText, time, size, content)
      }
    }

    /// Something beside request and response: an informational response, a challenge, a wait for a network.
    package struct Event: Sendable, Equatable {
      package var time: Double
      package var text: String

      package init(time: Double, text: String) { (self.time, self.text) = (time, text) }
    }

    package struct Failure: Sendable, Equatable {
      /// `URLError.Code` by name, or the type of an error of the app's own.
      package var name: String
      package var code: Int
      package var phase: String
      package var message: String

      package init(name: String, code: Int, phase: String, message: String) {
        (self.name, self.code, self.phase, self.message) = (name, code, phase, message)
      }
    }

    /// What has become of it.
    package enum State: String, Sendable {
      case active, completed, redirected, repeated, authenticated, failed, cancelled
    }

    /// Counted from 1 by the recorder.
    package var number: Int
    package var origin = Origin()
    package var start: Date
    package var state = State.active
    package var request = Request()
    package var response: Response?
    package var phases = Phases()
    /// Shared by the transfers of a connection: what is known of it is put together once.
    package var connection: SharedConnection?
    /// "network", "cache" or "other".
    package var source = "other"
    package var cache: CacheUse?
    package var messages: [Message] = []
    /// Messages that were too many to keep: the oldest.
    package var droppedMessages = 0
    package var events: [Event] = []
    package var failure: Failure?

    // In line: the value is large, and made in its place.
    @inline(__always)
    package init(number: Int, start: Date) { (self.number, self.start) = (number, start) }

    /// Milliseconds from begin to end; nil while it is active.
    package var duration: Double? { phases.end }

    package var isEnded: Bool { state != .active }
  }

  extension RecordedTransfer {
    /// The host of the URL and its port; nil where it names none.
    package var host: String? { URLComponents(string: request.url)?.host }
  }
#endif
