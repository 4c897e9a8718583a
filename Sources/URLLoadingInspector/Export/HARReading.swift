#if Inspector
  import Foundation
  import LoadingModel

  /// Reads an HTTP Archive (HAR), written by this library or by a browser.
  package enum HARReading {
    package struct Unreadable: Error, CustomStringConvertible {
      package let description: String
    }

    package static func transfers(_ data: Data) throws -> [RecordedTransfer] {
      let document: Document
      do {
        document = try JSONDecoder().decode(Document.self, from: data)
      } catch {
        throw Unreadable(description: "it is no HTTP Archive: a JSON object with log.entries is expected")
      }
      let connections = Connections()
      return document.log.entries.enumerated().map { index, entry in entry.transfer(number: index + 1, connections) }
    }

    /// Maps HAR's connection names to numbers, and lets transfers share their facts about a connection.
    fileprivate final class Connections {
      private var numbers: [String: Int] = [:]
      private var latest: [Int: RecordedTransfer.SharedConnection] = [:]

      /// Returns the same object for consecutive transfers of a connection whose facts are equal.
      func shared(_ connection: RecordedTransfer.Connection) -> RecordedTransfer.SharedConnection {
        if let known = latest[connection.number], known.value == connection { return known }
        let shared = RecordedTransfer.SharedConnection(connection)
        latest[connection.number] = shared
        return shared
      }

      func number(of name: String) -> Int {
        if let number = Int(name) { return number }
        if let known = numbers[name] { return known }
        let number = -1 - numbers.count
        numbers[name] = number
        return number
      }
    }

    fileprivate struct Document: Decodable { let log: Log }
    fileprivate struct Log: Decodable { let entries: [Entry] }
    fileprivate struct Pair: Decodable {
      let name: String
      let value: String
    }

    fileprivate struct Entry: Decodable {
      let startedDateTime: String?
      let time: Double?
      let request: Request
      let response: Response
      let timings: Timings?
      let serverIPAddress: String?
      let connection: String?
      let _fromCache: String?
      let _fetchedFromCache: Bool?
      let _resourceType: String?
      let _webSocketMessages: [Message]?
      let _urlLoading: OwnFacts?
    }

    fileprivate struct Request: Decodable {
      let method: String
      let url: String
      let httpVersion: String?
      let headers: [Pair]?
      let postData: PostData?
      let headersSize: Int64?
      let bodySize: Int64?
    }

    fileprivate struct PostData: Decodable {
      let text: String?
      let _encoding: String?
      let _truncatedAt: Int?
    }

    fileprivate struct Response: Decodable {
      let status: Int
      let statusText: String?
      let httpVersion: String?
      let headers: [Pair]?
      let content: Content?
      let headersSize: Int64?
      let bodySize: Int64?
      let _transferSize: Int64?
      let _error: String?
    }

    fileprivate struct Content: Decodable {
      let size: Int64?
      let mimeType: String?
      let text: String?
      let encoding: String?
      let _truncatedAt: Int?
    }

    fileprivate struct Timings: Decodable {
      let blocked: Double?
      let dns: Double?
      let connect: Double?
      let ssl: Double?
      let send: Double?
      let wait: Double?
      let receive: Double?
    }

    fileprivate struct Message: Decodable {
      let type: String?
      let time: Double?
      let opcode: Int?
      let data: String?
    }

    fileprivate struct OwnFacts: Decodable {
      struct Cache: Decodable {
        let decision: String
        let reason: String
      }

      struct Connection: Decodable {
        let `protocol`: String?
        let port: Int?
        let localPort: Int?
        let tls: String?
        let cipherSuite: Int?
        let isReused: Bool?
        let isProxied: Bool?
        let isTLSResumed: Bool?
        let isTrustOverridden: Bool?
        let encryptedHello: String?
        let earlyData: String?
        let keyExchangeGroup: Int?
        let certificates: [Certificate]?
      }

      struct Certificate: Decodable {
        let name: String
        let issuer: String
        let names: [String]
        let validFrom: String?
        let validUntil: String?
        let sha256: String

        var recorded: RecordedTransfer.Certificate {
          var certificate = RecordedTransfer.Certificate()
          (certificate.name, certificate.issuer, certificate.names, certificate.sha256) = (name, issuer, names, sha256)
          certificate.validFrom = validFrom.flatMap { try? Date($0, strategy: .iso8601) }
          certificate.validUntil = validUntil.flatMap { try? Date($0, strategy: .iso8601) }
          return certificate
        }
      }

      struct Failure: Decodable {
        let name: String
        let code: Int
        let phase: String
        let message: String
      }

      struct Event: Decodable {
        let time: Double
        let text: String
      }

      let session: Int?
      let task: Int?
      let kind: String?
      let state: String?
      let source: String?
      let description: String?
      let cache: Cache?
      let connection: Connection?
      let failure: Failure?
      let events: [Event]?
      let droppedMessages: Int?
      let trailers: [Pair]?
    }
  }

  extension HARReading.Entry {
    fileprivate func transfer(number: Int, _ connections: HARReading.Connections) -> RecordedTransfer {
      var transfer = RecordedTransfer(number: number, start: HARReading.date(startedDateTime) ?? .distantPast)
      transfer.origin = RecordedTransfer.Origin(
        session: _urlLoading?.session ?? 0, task: _urlLoading?.task ?? number,
        kind: _urlLoading?.kind ?? (_resourceType == "websocket" ? "webSocket" : "data"), description: _urlLoading?.description)
      transfer.request = request.recorded
      if response.status != 0 || !(response.headers ?? []).isEmpty { transfer.response = response.recorded }
      transfer.response?.trailers = HARReading.fields(_urlLoading?.trailers)
      if let timings { transfer.phases = timings.values.phases }
      if let time, transfer.phases.end == nil || timings == nil { transfer.phases.end = time }
      transfer.source = _urlLoading?.source ?? (_fromCache != nil || _fetchedFromCache == true ? "cache" : "network")
      transfer.connection = connectionFacts(connections).map(connections.shared)
      transfer.cache = (_urlLoading?.cache).map { RecordedTransfer.CacheUse($0.decision, $0.reason) }
      transfer.messages = (_webSocketMessages ?? []).map { $0.recorded(since: transfer.start) }
      transfer.droppedMessages = Int(HARReading.count((_urlLoading?.droppedMessages).map(Int64.init)))
      transfer.events = (_urlLoading?.events ?? []).map { RecordedTransfer.Event(time: $0.time, text: $0.text) }
      note(failureOf: &transfer)
      return transfer
    }

    private func note(failureOf transfer: inout RecordedTransfer) {
      if let failure = _urlLoading?.failure {
        transfer.failure = RecordedTransfer.Failure(name: failure.name, code: failure.code, phase: failure.phase, message: failure.message)
      } else if let error = response._error, !error.isEmpty {
        transfer.failure = RecordedTransfer.Failure(name: error, code: 0, phase: "", message: "")
      }
      if let state = (_urlLoading?.state).flatMap(RecordedTransfer.State.init) {
        transfer.state = state
      } else if transfer.failure != nil {
        transfer.state = .failed
      } else {
        transfer.state = (300..<400).contains(response.status) && response.status != 304 ? .redirected : .completed
      }
    }

    private func connectionFacts(_ connections: HARReading.Connections) -> RecordedTransfer.Connection? {
      let own = _urlLoading?.connection
      guard connection != nil || serverIPAddress != nil || own != nil else { return nil }
      var facts = RecordedTransfer.Connection()
      facts.number = connection.map(connections.number) ?? 0
      facts.address = serverIPAddress
      facts.protocolName = own?.protocol ?? request.httpVersion?.lowercased() ?? ""
      facts.port = own?.port
      facts.localPort = own?.localPort
      facts.tls = own?.tls
      facts.cipherSuite = own?.cipherSuite
      facts.isReused = own?.isReused ?? ((timings?.connect ?? -1) < 0)
      facts.isProxied = own?.isProxied ?? false
      facts.isTLSResumed = own?.isTLSResumed ?? false
      facts.isTrustOverridden = own?.isTrustOverridden ?? false
      facts.encryptedHello = own?.encryptedHello
      facts.earlyData = own?.earlyData
      facts.keyExchangeGroup = own?.keyExchangeGroup
      facts.certificates = own?.certificates?.map(\.recorded) ?? []
      return facts
    }
  }

  extension HARReading {
    /// The largest count that is taken from a file: the largest integer on whose value JSON's readers agree (RFC 8259, 6). Sums of two don't overflow.
    private static let largestCount: Int64 = (1 << 53) - 1

    /// A number of bytes or messages from a file; 0 for one that isn't known, which HAR writes as -1.
    fileprivate static func count(_ number: Int64?) -> Int64 { min(max(0, number ?? 0), largestCount) }

    fileprivate static func fields(_ pairs: [Pair]?) -> HeaderFields {
      HeaderFields((pairs ?? []).map { ($0.name, $0.value) })
    }

    fileprivate static func body(_ text: String, _ encoding: String?, size: Int64?, cutAt: Int?) -> RecordedBody {
      let data = encoding == "base64" ? Data(base64Encoded: text) ?? Data() : Data(text.utf8)
      return RecordedBody(data, size: size, isCut: cutAt != nil)
    }

    fileprivate static func date(_ text: String?) -> Date? {
      guard let text else { return nil }
      let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      return (try? withFraction.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }
  }

  extension HARReading.Request {
    fileprivate var recorded: RecordedTransfer.Request {
      var request = RecordedTransfer.Request()
      (request.method, request.url) = (method, url)
      request.fields = HARReading.fields(headers)
      request.headBytes = HARReading.count(headersSize)
      request.bodyBytes = HARReading.count(bodySize)
      request.body = postData.flatMap { data in
        data.text.map { HARReading.body($0, data._encoding, size: request.bodyBytes, cutAt: data._truncatedAt) }
      }
      return request
    }
  }

  extension HARReading.Response {
    fileprivate var recorded: RecordedTransfer.Response {
      var response = RecordedTransfer.Response()
      response.status = status
      response.reason = statusText ?? ""
      response.version = httpVersion == "unknown" ? "" : httpVersion ?? ""
      response.fields = HARReading.fields(headers)
      response.mediaType = content?.mimeType == "x-unknown" ? "" : content?.mimeType ?? ""
      response.headBytes = HARReading.count(headersSize)
      response.bodyBytes = HARReading.count(bodySize)
      response.decodedBytes = HARReading.count(content?.size)
      response.body = content?.text.map {
        HARReading.body($0, content?.encoding, size: response.decodedBytes, cutAt: content?._truncatedAt)
      }
      return response
    }
  }

  extension HARReading.Timings {
    fileprivate var values: HARTimings {
      HARTimings(
        blocked: blocked ?? -1, dns: dns ?? -1, connect: connect ?? -1, ssl: ssl ?? -1, send: send ?? 0, wait: wait ?? 0,
        receive: receive ?? 0)
    }
  }

  extension HARReading.Message {
    fileprivate func recorded(since start: Date) -> RecordedTransfer.Message {
      let content = data ?? ""
      let isText = opcode != 2
      return RecordedTransfer.Message(
        isSent: type == "send", isText: isText, time: max(0, ((time ?? 0) - start.timeIntervalSince1970) * 1000),
        size: isText ? content.utf8.count : content.utf8.count / 4 * 3, content: content)
    }
  }
#endif
