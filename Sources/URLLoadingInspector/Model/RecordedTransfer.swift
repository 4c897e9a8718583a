#if Inspector
  import Foundation
  import LoadingModel

  /// One recorded request and its response. A task has several transfers if it is redirected, repeated or authenticated.
  ///
  /// A value. All of it has been redacted. Times are in milliseconds since `start`.
  package struct RecordedTransfer: Sendable, Equatable {
    /// The session and task that a transfer belongs to.
    package struct Origin: Sendable, Equatable {
      /// The number of the session in its process, and of the task in its session.
      package var session = 0
      package var task = 0
      /// The kind of task: "data", "upload", "download", "webSocket" or "stream".
      package var kind = "data"
      package var description: String?
    }

    package struct Request: Sendable, Equatable {
      package var method = "GET"
      package var url = ""
      /// The header fields: as they were sent if the network was used, otherwise as the app set them.
      package var fields = HeaderFields()
      /// The sizes on the wire, in bytes, of the request's head and body.
      package var headBytes: Int64 = 0
      package var bodyBytes: Int64 = 0
      package var body: RecordedBody?
    }

    package struct Response: Sendable, Equatable {
      package var status = 0
      package var reason = ""
      /// The protocol version: "HTTP/1.1", "HTTP/2" or "HTTP/3"; empty for other schemes.
      package var version = ""
      package var fields = HeaderFields()
      package var trailers = HeaderFields()
      package var mediaType = ""
      /// The sizes on the wire, in bytes, of the response's head and body.
      package var headBytes: Int64 = 0
      package var bodyBytes: Int64 = 0
      /// The length in bytes of the body after its content coding has been removed.
      package var decodedBytes: Int64 = 0
      package var body: RecordedBody?
    }

    /// The start and end of each phase, in milliseconds since the transfer's start; nil for a phase that didn't take place.
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
      /// The end of the transfer, whether it succeeded or not; nil while it is active.
      package var end: Double?

      package init() {}
    }

    /// The connection that the transfer used.
    package struct Connection: Sendable, Equatable {
      /// The connection's number in the recording, from 1: transfers with the same number used the same connection.
      package var number = 0
      package var protocolName = ""
      package var localPort: Int?
      package var address: String?
      package var port: Int?
      /// The TLS version, such as "TLS 1.3"; nil without TLS.
      package var tls: String?
      /// The IANA number of the cipher suite; nil without TLS.
      package var cipherSuite: Int?
      package var isReused = false
      package var isProxied = false
      package var isTLSResumed = false
      package var isTrustOverridden = false
      /// The state of Encrypted Client Hello: "encrypted", "rejected", "greased" and so on; nil if it isn't known.
      package var encryptedHello: String?
      /// Whether the server took the requests in QUIC's first flight (0-RTT): "accepted" or "refused"; nil if there were none.
      package var earlyData: String?
      /// The IANA number of the key exchange's group; nil without TLS.
      package var keyExchangeGroup: Int?
      /// The certificates that the server presented, its own first; empty for a resumed TLS session.
      package var certificates: [Certificate] = []

      package init() {}
    }

    /// The facts about a connection, created once and shared by transfers that used it in the same way. Immutable.
    @dynamicMemberLookup
    package final class SharedConnection: Sendable, Equatable {
      package let value: Connection

      package init(_ value: Connection) { self.value = value }

      package subscript<Part>(dynamicMember part: KeyPath<Connection, Part>) -> Part { value[keyPath: part] }

      package static func == (left: SharedConnection, right: SharedConnection) -> Bool { left === right || left.value == right.value }
    }

    /// A certificate that a server presented.
    package struct Certificate: Sendable, Equatable {
      /// The subject's common name; its organization if it has none.
      package var name = ""
      package var issuer = ""
      /// The DNS names and IP addresses of the subject alternative name.
      package var names: [String] = []
      package var validFrom: Date?
      package var validUntil: Date?
      /// The SHA-256 fingerprint of the certificate in hexadecimal digits.
      package var sha256 = ""

      package init() {}
    }

    /// The decision of the response cache about the request.
    package struct CacheUse: Sendable, Equatable {
      /// The decision: "use", "useAndRevalidate", "validate", "fetch", "gatewayTimeout" or "unavailable".
      package var decision: String
      /// The name of the `CacheReason` for the decision.
      package var reason: String

      package init(_ decision: String, _ reason: String) { (self.decision, self.reason) = (decision, reason) }
    }

    /// A WebSocket message, or an event of an event stream.
    package struct Message: Sendable, Equatable {
      package var isSent: Bool
      package var isText: Bool
      package var time: Double
      package var size: Int
      /// The message or its beginning: text, or base64 for binary messages.
      package var content: String

      package init(isSent: Bool, isText: Bool, time: Double, size: Int, content: String) {
        (self.isSent, self.isText, self.time, self.size, self.content) = (isSent, isText, time, size, content)
      }
    }

    /// An event other than request and response: an informational response, an authentication challenge, or waiting for a network.
    package struct Event: Sendable, Equatable {
      package var time: Double
      package var text: String

      package init(time: Double, text: String) { (self.time, self.text) = (time, text) }
    }

    package struct Failure: Sendable, Equatable {
      /// The name of the `URLError.Code`, or of the type of an error that the app has defined.
      package var name: String
      package var code: Int
      package var phase: String
      package var message: String

      package init(name: String, code: Int, phase: String, message: String) {
        (self.name, self.code, self.phase, self.message) = (name, code, phase, message)
      }
    }

    /// The state of a transfer, or how it ended.
    package enum State: String, Sendable {
      case active, completed, redirected, repeated, authenticated, failed, cancelled
    }

    /// The transfer's number in the recording, from 1.
    package var number: Int
    package var origin = Origin()
    package var start: Date
    package var state = State.active
    package var request = Request()
    package var response: Response?
    package var phases = Phases()
    /// The facts about the connection, shared with other transfers that used it; nil if none was used.
    package var connection: SharedConnection?
    /// The source of the response: "network", "cache" or "other".
    package var source = "other"
    package var cache: CacheUse?
    package var messages: [Message] = []
    /// How many of the oldest messages have been removed, because there were too many to keep.
    package var droppedMessages = 0
    package var events: [Event] = []
    package var failure: Failure?

    // Always inlined, so that this large value is created where it is stored instead of being copied there.
    @inline(__always)
    package init(number: Int, start: Date) { (self.number, self.start) = (number, start) }

    /// The transfer's duration in milliseconds; nil while it is active.
    package var duration: Double? { phases.end }

    package var isEnded: Bool { state != .active }
  }

  extension RecordedTransfer {
    /// The host of the URL, without its port; nil if the URL has none.
    package var host: String? { URLComponents(string: request.url)?.host }
  }
#endif
