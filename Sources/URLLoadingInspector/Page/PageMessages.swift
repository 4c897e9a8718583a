#if Inspector
  import Foundation

  /// The messages to the page's script, as JSON. Has no side effects.
  enum PageMessages {
    /// The names of a row's values in the order of `row`. The script has the same list (`columnNames`).
    static let columns = [
      "n", "session", "task", "kind", "state", "method", "url", "status", "type", "start", "received", "sent", "decoded", "source",
      "connection", "protocol", "reused", "cache", "error", "messages", "phases", "address", "description",
    ]

    /// A transfer as a row of the list: an array of values without names, because there are thousands of rows.
    static func row(_ transfer: RecordedTransfer) -> JSONValue {
      let (response, connection) = (transfer.response, transfer.connection)
      return .array([
        .int(Int64(transfer.number)), .int(Int64(transfer.origin.session)), .int(Int64(transfer.origin.task)),
        .string(transfer.origin.kind), .string(transfer.state.rawValue), .string(transfer.request.method), .string(transfer.request.url),
        .int(Int64(response?.status ?? 0)), .string(response?.mediaType ?? ""),
        .number((transfer.start.timeIntervalSince1970 * 1000).rounded()),
        .int((response?.headBytes ?? 0) + (response?.bodyBytes ?? 0)), .int(transfer.request.headBytes + transfer.request.bodyBytes),
        .int(response?.decodedBytes ?? 0), .string(transfer.source), .int(Int64(connection?.number ?? 0)),
        .string(connection?.protocolName ?? ""), .bool(connection?.isReused ?? false), .string(transfer.cache?.decision ?? ""),
        .string(transfer.failure?.name ?? ""), .int(Int64(transfer.messages.count + transfer.droppedMessages)),
        phases(transfer.phases), .string(connection?.address ?? ""), .string(transfer.origin.description ?? ""),
      ])
    }

    /// The starts and ends of look-up, connecting, TLS, request and response, and the end of the transfer, in milliseconds.
    private static func phases(_ phases: RecordedTransfer.Phases) -> JSONValue {
      .array(
        [
          phases.lookupStart, phases.lookupEnd, phases.connectStart, phases.connectEnd, phases.tlsStart, phases.tlsEnd, phases.sendStart,
          phases.sendEnd, phases.receiveStart, phases.receiveEnd, phases.end,
        ].map(JSONValue.optional))
    }

    /// Everything that is recorded about one transfer, for the details view.
    static func details(_ transfer: RecordedTransfer) -> JSONValue {
      .object([
        ("row", row(transfer)), ("entry", HARDocument.entry(transfer)), ("curl", .string(CommandText.curl(transfer))),
        ("swift", .string(CommandText.swift(transfer))), ("cacheReason", .optional(transfer.cache?.reason)),
        ("messages", .array(transfer.messages.map(message))), ("droppedMessages", .int(Int64(transfer.droppedMessages))),
      ])
    }

    private static func message(_ message: RecordedTransfer.Message) -> JSONValue {
      .object([
        ("sent", .bool(message.isSent)), ("text", .bool(message.isText)), ("time", .number(message.time)),
        ("size", .int(Int64(message.size))), ("content", .string(message.content)),
      ])
    }
  }
#endif
