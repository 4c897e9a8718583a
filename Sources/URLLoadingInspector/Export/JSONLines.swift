#if Inspector
  import Foundation

  /// Recorded transfers as JSON lines, one for each transfer, with the facts that are useful in logs. Without bodies, which only HAR has. Has no side
  /// effects.
  package enum JSONLines {
    package static func data(_ transfers: [RecordedTransfer]) -> Data {
      var bytes: [UInt8] = []
      for transfer in transfers {
        JSONValue.object(summary(transfer)).write(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
      return Data(bytes)
    }

    /// The facts about a transfer that a line contains.
    static func summary(_ transfer: RecordedTransfer) -> [(String, JSONValue)] {
      var members: [(String, JSONValue)] = [
        ("number", .int(Int64(transfer.number))), ("session", .int(Int64(transfer.origin.session))),
        ("task", .int(Int64(transfer.origin.task))), ("kind", .string(transfer.origin.kind)),
        ("start", .string(HARDocument.date(transfer.start))), ("state", .string(transfer.state.rawValue)),
        ("method", .string(transfer.request.method)), ("url", .string(transfer.request.url)), ("source", .string(transfer.source)),
      ]
      if let description = transfer.origin.description { members.append(("description", .string(description))) }
      if let response = transfer.response {
        members.append(("status", .int(Int64(response.status))))
        members.append(("mediaType", .string(response.mediaType)))
        members.append(("decodedBytes", .int(response.decodedBytes)))
      }
      members.append(("bytesSent", .int(transfer.request.headBytes + transfer.request.bodyBytes)))
      members.append(("bytesReceived", .int((transfer.response?.headBytes ?? 0) + (transfer.response?.bodyBytes ?? 0))))
      members.append(("phases", phases(transfer.phases)))
      if let connection = transfer.connection?.value {
        members.append(("connection", .int(Int64(connection.number))))
        members.append(("protocol", .string(connection.protocolName)))
        members.append(("isReused", .bool(connection.isReused)))
        if let address = connection.address { members.append(("address", .string(address))) }
        if let port = connection.port { members.append(("port", .int(Int64(port)))) }
      }
      if let cache = transfer.cache { members.append(("cache", .string("\(cache.decision): \(cache.reason)"))) }
      if transfer.origin.kind == "webSocket" {
        members.append(("messages", .int(Int64(transfer.messages.count + transfer.droppedMessages))))
      }
      if let failure = transfer.failure { members.append(("error", .string(failure.name))) }
      return members
    }

    static func phases(_ phases: RecordedTransfer.Phases) -> JSONValue {
      let all: [(String, Double?)] = [
        ("lookupStart", phases.lookupStart), ("lookupEnd", phases.lookupEnd), ("connectStart", phases.connectStart),
        ("connectEnd", phases.connectEnd), ("tlsStart", phases.tlsStart), ("tlsEnd", phases.tlsEnd), ("sendStart", phases.sendStart),
        ("sendEnd", phases.sendEnd), ("receiveStart", phases.receiveStart), ("receiveEnd", phases.receiveEnd), ("end", phases.end),
      ]
      return .object(all.compactMap { name, value in value.map { (name, .number($0)) } })
    }
  }
#endif
