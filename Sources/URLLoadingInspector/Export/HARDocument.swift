#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingSystem

  /// Recorded transfers as an HTTP Archive (HAR) 1.2. Has no side effects.
  ///
  /// Members beyond the format: `_webSocketMessages`, `_transferSize`, `_error` and `_resourceType`, as Chromium writes them, and `_urlLoading` with
  /// facts that only this library records.
  package enum HARDocument {
    /// - Parameter wholeMilliseconds: Whether times are rounded to whole milliseconds, for readers that accept only integers.
    package static func data(_ transfers: [RecordedTransfer], wholeMilliseconds: Bool = false) -> Data {
      json(transfers, wholeMilliseconds).data
    }

    private static func json(_ transfers: [RecordedTransfer], _ wholeMilliseconds: Bool) -> JSONValue {
      let creator = JSONValue.object([("name", .string("URLLoadingSystem")), ("version", .string(LibraryVersion.current))])
      return .object([
        (
          "log",
          .object([
            ("version", .string("1.2")), ("creator", creator), ("pages", .array([])),
            ("entries", .array(transfers.map { entry($0, wholeMilliseconds: wholeMilliseconds) })),
          ])
        )
      ])
    }

    static func entry(_ transfer: RecordedTransfer, wholeMilliseconds: Bool = false) -> JSONValue {
      let exact = HARTimings(transfer.phases, isReused: transfer.connection?.isReused ?? false)
      let timings = wholeMilliseconds ? exact.inWholeMilliseconds : exact
      var members: [(String, JSONValue)] = [
        ("startedDateTime", .string(date(transfer.start))), ("time", .number((timings.total * 1000).rounded() / 1000)),
        ("request", request(transfer)), ("response", response(transfer)), ("cache", .object([])), ("timings", timings.json),
      ]
      if let connection = transfer.connection?.value {
        if let address = connection.address { members.append(("serverIPAddress", .string(address))) }
        members.append(("connection", .string("\(connection.number)")))
      }
      members.append(("_initiator", .object([("type", .string("other"))])))
      members.append(("_resourceType", .string(resourceType(transfer))))
      if transfer.source == "cache" { members.append(("_fromCache", .string("disk"))) }
      if transfer.origin.kind == "webSocket" {
        members.append(("_webSocketMessages", .array(transfer.messages.map { message($0, transfer) })))
      }
      members.append(("_urlLoading", ownFacts(transfer)))
      return .object(members)
    }

    /// The date in ISO 8601 format with milliseconds.
    static func date(_ date: Date) -> String {
      date.formatted(.iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
    }

    // MARK: - The request

    private static func request(_ transfer: RecordedTransfer) -> JSONValue {
      let request = transfer.request
      var members: [(String, JSONValue)] = [
        ("method", .string(request.method)), ("url", .string(request.url)), ("httpVersion", .string(version(transfer))),
        ("cookies", .array(cookies(request.fields))), ("headers", headers(transfer.sentFields)),
        ("queryString", .array(query(request.url))),
      ]
      if let body = request.body { members.append(("postData", postData(body, request.fields))) }
      members.append(("headersSize", .int(request.headBytes > 0 ? request.headBytes : -1)))
      members.append(("bodySize", .int(request.bodyBytes)))
      return .object(members)
    }

    private static func postData(_ recorded: RecordedBody, _ fields: HeaderFields) -> JSONValue {
      let body = recorded.read
      let text = BodyText(body)
      var members: [(String, JSONValue)] = [
        ("mimeType", .string(fields.first("Content-Type") ?? "")), ("params", .array([])),
        ("text", .string(text.text)),
      ]
      if text.isBase64 { members.append(("_encoding", .string("base64"))) }
      if body.isCut { members.append(("_truncatedAt", .int(Int64(body.count)))) }
      return .object(members)
    }

    private static func query(_ url: String) -> [JSONValue] {
      (URLComponents(string: url)?.queryItems ?? []).map { .object([("name", .string($0.name)), ("value", .string($0.value ?? ""))]) }
    }

    private static func cookies(_ fields: HeaderFields) -> [JSONValue] {
      guard let value = fields.first("Cookie") else { return [] }
      return value.split(separator: ";").map { pair in
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return .object([("name", .string(String(parts.first ?? ""))), ("value", .string(parts.count > 1 ? String(parts[1]) : ""))])
      }
    }

    // MARK: - The response

    private static func response(_ transfer: RecordedTransfer) -> JSONValue {
      let response = transfer.response ?? RecordedTransfer.Response()
      let isCached = transfer.source == "cache"
      var members: [(String, JSONValue)] = [
        ("status", .int(Int64(response.status))), ("statusText", .string(response.reason)),
        ("httpVersion", .string(version(transfer))), ("cookies", .array(setCookies(response.fields))),
        ("headers", headers(response.fields)), ("content", content(response)),
        ("redirectURL", .string(transfer.state == .redirected ? response.fields.first("Location") ?? "" : "")),
        ("headersSize", .int(isCached || response.headBytes == 0 ? -1 : response.headBytes)),
        ("bodySize", .int(isCached ? 0 : transfer.response == nil ? -1 : response.bodyBytes)),
        ("_transferSize", .int(isCached ? 0 : response.headBytes + response.bodyBytes)),
      ]
      if let failure = transfer.failure {
        members.append(("_error", .string("\(failure.name): \(failure.message)")))
      } else {
        members.append(("_error", .null))
      }
      return .object(members)
    }

    private static func content(_ response: RecordedTransfer.Response) -> JSONValue {
      var members: [(String, JSONValue)] = [
        ("size", .int(response.decodedBytes)),
        ("mimeType", .string(response.mediaType.isEmpty ? "x-unknown" : response.mediaType)),
      ]
      if response.bodyBytes > 0, response.decodedBytes > response.bodyBytes {
        members.append(("compression", .int(response.decodedBytes - response.bodyBytes)))
      }
      guard let body = response.body?.read else { return .object(members) }
      let text = BodyText(body)
      members.append(("text", .string(text.text)))
      if text.isBase64 { members.append(("encoding", .string("base64"))) }
      if body.isCut { members.append(("_truncatedAt", .int(Int64(body.count)))) }
      return .object(members)
    }

    private static func setCookies(_ fields: HeaderFields) -> [JSONValue] {
      fields.all("Set-Cookie").map { value in
        var parts = value.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let pair = parts.isEmpty ? "" : parts.removeFirst()
        func attribute(_ name: String) -> String? {
          parts.first { $0.lowercased().hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        func has(_ name: String) -> Bool { parts.contains { $0.lowercased() == name } }
        let equals = pair.firstIndex(of: "=") ?? pair.endIndex
        var members: [(String, JSONValue)] = [
          ("name", .string(String(pair[..<equals]))), ("value", .string(String(pair[equals...].dropFirst()))),
          ("httpOnly", .bool(has("httponly"))), ("secure", .bool(has("secure"))),
        ]
        for name in ["path", "domain"] {
          if let value = attribute(name) { members.append((name, .string(value))) }
        }
        if let value = attribute("samesite") { members.append(("sameSite", .string(value))) }
        return .object(members)
      }
    }

    // MARK: - Parts of both

    private static func headers(_ fields: HeaderFields) -> JSONValue {
      .array(fields.entries.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })
    }

    private static func version(_ transfer: RecordedTransfer) -> String {
      if let version = transfer.response?.version, !version.isEmpty { return version }
      switch transfer.connection?.protocolName {
      case "h2": return "HTTP/2"
      case "h3": return "HTTP/3"
      case "http/1.1": return "HTTP/1.1"
      case "http/1.0": return "HTTP/1.0"
      default: return "unknown"
      }
    }

    private static func resourceType(_ transfer: RecordedTransfer) -> String {
      if transfer.origin.kind == "webSocket" { return "websocket" }
      return transfer.response?.mediaType.hasPrefix("text/event-stream") == true ? "eventsource" : "fetch"
    }

    /// A WebSocket message as Chromium writes it: the time in seconds since 1970, and the frame's opcode.
    private static func message(_ message: RecordedTransfer.Message, _ transfer: RecordedTransfer) -> JSONValue {
      .object([
        ("type", .string(message.isSent ? "send" : "receive")),
        ("time", .number(((transfer.start.timeIntervalSince1970 + message.time / 1000) * 1000).rounded() / 1000)),
        ("opcode", .int(message.isText ? 1 : 2)), ("data", .string(message.content)),
      ])
    }

    private static func ownFacts(_ transfer: RecordedTransfer) -> JSONValue {
      var members: [(String, JSONValue)] = [
        ("number", .int(Int64(transfer.number))), ("session", .int(Int64(transfer.origin.session))),
        ("task", .int(Int64(transfer.origin.task))), ("kind", .string(transfer.origin.kind)), ("state", .string(transfer.state.rawValue)),
        ("source", .string(transfer.source)),
      ]
      if let description = transfer.origin.description { members.append(("description", .string(description))) }
      if let cache = transfer.cache {
        members.append(("cache", .object([("decision", .string(cache.decision)), ("reason", .string(cache.reason))])))
      }
      if let connection = transfer.connection?.value {
        members.append(
          (
            "connection",
            .object([
              ("protocol", .string(connection.protocolName)), ("port", .optional(connection.port)),
              ("localPort", .optional(connection.localPort)), ("tls", .optional(connection.tls)),
              ("cipherSuite", .optional(connection.cipherSuite)), ("isReused", .bool(connection.isReused)),
              ("isProxied", .bool(connection.isProxied)), ("isTLSResumed", .bool(connection.isTLSResumed)),
              ("isTrustOverridden", .bool(connection.isTrustOverridden)), ("encryptedHello", .optional(connection.encryptedHello)),
              ("earlyData", .optional(connection.earlyData)),
              ("keyExchangeGroup", .optional(connection.keyExchangeGroup)),
              ("certificates", .array(connection.certificates.map(certificate))),
            ])
          ))
      }
      if let failure = transfer.failure {
        members.append(
          (
            "failure",
            .object([
              ("name", .string(failure.name)), ("code", .int(Int64(failure.code))), ("phase", .string(failure.phase)),
              ("message", .string(failure.message)),
            ])
          ))
      }
      if !transfer.events.isEmpty {
        members.append(("events", .array(transfer.events.map { .object([("time", .number($0.time)), ("text", .string($0.text))]) })))
      }
      if transfer.droppedMessages > 0 { members.append(("droppedMessages", .int(Int64(transfer.droppedMessages)))) }
      if let trailers = transfer.response?.trailers, !trailers.isEmpty { members.append(("trailers", headers(trailers))) }
      return .object(members)
    }

    private static func certificate(_ certificate: RecordedTransfer.Certificate) -> JSONValue {
      .object([
        ("name", .string(certificate.name)), ("issuer", .string(certificate.issuer)),
        ("names", .array(certificate.names.map(JSONValue.string))),
        ("validFrom", .optional(certificate.validFrom.map { $0.formatted(.iso8601) })),
        ("validUntil", .optional(certificate.validUntil.map { $0.formatted(.iso8601) })), ("sha256", .string(certificate.sha256)),
      ])
    }
  }
#endif
