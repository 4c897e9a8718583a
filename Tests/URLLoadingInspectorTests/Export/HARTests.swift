#if Inspector
  import Foundation
  import Testing

  @testable import URLLoadingInspector

  @Suite struct HARTests {
    private func object(_ transfers: [RecordedTransfer]) throws -> [String: Any] {
      let parsed = try JSONSerialization.jsonObject(with: HARDocument.data(transfers)) as? [String: Any]
      return try #require(parsed?["log"] as? [String: Any])
    }

    private func entries(_ transfers: [RecordedTransfer]) throws -> [[String: Any]] {
      try #require(try object(transfers)["entries"] as? [[String: Any]])
    }

    @Test func whatTheFormatDemandsIsThere() throws {
      var webSocket = RecordedTransfer.sample(number: 2)
      webSocket.origin.kind = "webSocket"
      webSocket.messages = [RecordedTransfer.Message(isSent: true, isText: true, time: 5, size: 2, content: "hi")]
      var failed = RecordedTransfer(number: 3, start: Date(timeIntervalSince1970: 1))
      failed.state = .failed
      failed.failure = RecordedTransfer.Failure(name: "cannotConnectToHost", code: -1004, phase: "connect", message: "refused")
      let log = try object([.sample(), webSocket, failed])
      #expect(HARSchema.problems(log) == [])
    }

    @Test func timesAddUpAndSizesAreThoseOfTheWire() throws {
      let entry = try #require(try entries([.sample()]).first)
      let timings = try #require(entry["timings"] as? [String: Double])
      let expected: [String: Double] = ["blocked": 2, "dns": 2, "connect": 6, "ssl": 4, "send": 1, "wait": 10, "receive": 10]
      #expect(timings == expected)
      #expect(entry["time"] as? Double == 31)
      #expect(entry["startedDateTime"] as? String == "2023-11-14T22:13:20.125Z")
      #expect(entry["serverIPAddress"] as? String == "192.0.2.1")
      #expect(entry["connection"] as? String == "4")
      let request = try #require(entry["request"] as? [String: Any])
      #expect(request["headersSize"] as? Int == 120)
      #expect(request["bodySize"] as? Int == 7)
      let response = try #require(entry["response"] as? [String: Any])
      #expect(response["_transferSize"] as? Int == 97)
      let cookie = try #require((response["cookies"] as? [[String: Any]])?.first)
      #expect(cookie["name"] as? String == "s")
      #expect(cookie["secure"] as? Bool == true)
      #expect(cookie["path"] as? String == "/")
    }

    @Test func phasesOfAnyKindGiveTimingsThatAreNotNegativeAndAddUp() {
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<5000 {
        var phases = RecordedTransfer.Phases()
        func time() -> Double? { Bool.random(using: &generator) ? Double(Int.random(in: 0...50, using: &generator)) : nil }
        (phases.lookupStart, phases.lookupEnd, phases.connectStart, phases.connectEnd) = (time(), time(), time(), time())
        (phases.tlsStart, phases.tlsEnd, phases.sendStart, phases.sendEnd) = (time(), time(), time(), time())
        (phases.receiveStart, phases.receiveEnd) = (time(), time())
        phases.end = 60
        let timings = HARTimings(phases, isReused: Bool.random(using: &generator))
        #expect(timings.send >= 0 && timings.wait >= 0 && timings.receive >= 0 && timings.blocked >= -1)
        #expect(timings.total >= 0)
      }
    }

    @Test func bodiesThatAreNoTextAreBase64AndCutOnesSaySo() throws {
      var transfer = RecordedTransfer.sample()
      transfer.response?.body = RecordedBody(Data([0, 1, 0xFF]), size: 9, isCut: true)
      let response = try #require(try entries([transfer])[0]["response"] as? [String: Any])
      let content = try #require(response["content"] as? [String: Any])
      #expect(content["text"] as? String == "AAH/")
      #expect(content["encoding"] as? String == "base64")
      #expect(content["_truncatedAt"] as? Int == 3)
    }

    @Test func whatIsReadIsWhatWasWritten() throws {
      var webSocket = RecordedTransfer.sample(number: 2)
      webSocket.origin.kind = "webSocket"
      webSocket.messages = [
        RecordedTransfer.Message(isSent: true, isText: true, time: 5, size: 2, content: "hi"),
        RecordedTransfer.Message(isSent: false, isText: false, time: 6, size: 3, content: "AAEC"),
      ]
      webSocket.droppedMessages = 3
      var failed = RecordedTransfer.sample(number: 3)
      failed.response = nil
      failed.state = .failed
      failed.failure = RecordedTransfer.Failure(name: "timedOut", code: -1001, phase: "head", message: "no answer")
      let written = [RecordedTransfer.sample(), webSocket, failed]
      let read = try HARReading.transfers(HARDocument.data(written))
      for (before, after) in zip(written, read) {
        var (expected, actual) = (before, after)
        // HAR has durations one behind the other.
        (expected.phases, actual.phases) = (RecordedTransfer.Phases(), RecordedTransfer.Phases())
        // Seconds in a double, to the millisecond.
        for index in actual.messages.indices { actual.messages[index].time = actual.messages[index].time.rounded() }
        #expect(expected == actual)
        #expect(after.phases.end == 31)
      }
    }

    @Test func fieldsOfHTTP2AreThoseThatWereSent() throws {
      var transfer = RecordedTransfer.sample()
      transfer.request.fields.add("Connection", "keep-alive")
      var connection = try #require(transfer.connection?.value)
      connection.protocolName = "h2"
      transfer.connection = RecordedTransfer.SharedConnection(connection)
      let expected = [
        ":method POST", ":scheme https", ":authority host.example", ":path /path?a=1", "content-type application/json", "cookie a=REDACTED",
      ]
      #expect(transfer.sentFields.entries.map { "\($0.name) \($0.value)" } == expected)
      let read = try #require(try HARReading.transfers(HARDocument.data([transfer])).first)
      #expect(read.sentFields == transfer.sentFields)
      for text in [CommandText.curl(read), CommandText.swift(read)] { #expect(!text.contains(":authority")) }
      transfer.origin.kind = "webSocket"
      transfer.request.url = "wss://host.example"
      #expect(transfer.sentFields.entries.prefix(5).map(\.value) == ["CONNECT", "websocket", "https", "host.example", "/"])
    }

    @Test func aBrowsersArchiveIsRead() throws {
      let text = """
        {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[{"_fromCache":"memory",
        "_initiator":{"type":"script"},"_priority":"High","_resourceType":"fetch","cache":{},"connection":"443","pageref":"page_1",
        "request":{"method":"GET","url":"https://a.example/x","httpVersion":"http/2.0","headers":[{"name":":method","value":"GET"}],
        "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"","httpVersion":"http/2.0",
        "headers":[],"cookies":[],"content":{"size":3,"mimeType":"text/plain","text":"abc"},"redirectURL":"","headersSize":-1,"bodySize":-1,
        "_transferSize":0,"_error":null},"serverIPAddress":"[::1]","startedDateTime":"2026-11-25T10:00:00.000Z","time":12.5,
        "timings":{"blocked":1,"dns":-1,"ssl":-1,"connect":-1,"send":0.5,"wait":10,"receive":1,"_blocked_queueing":0.4}}]}}
        """
      let transfer = try #require(try HARReading.transfers(Data(text.utf8)).first)
      #expect(transfer.source == "cache")
      #expect(transfer.state == .completed)
      #expect(transfer.phases.end == 12.5)
      #expect(transfer.response?.body?.data == Data("abc".utf8))
    }

    /// A file may have been written by anyone: its sizes are added up for the page, the report and the lines of JSON.
    @Test func sizesOfAnArchiveCanBeAddedUp() throws {
      let most = Int64.max
      let text = """
        {"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/","headersSize":\(most),"bodySize":\(most)},
        "response":{"status":200,"headersSize":\(most),"bodySize":\(most),"content":{"size":\(most)}},
        "_webSocketMessages":[{"type":"send","opcode":1,"data":"a"}],"_urlLoading":{"kind":"webSocket","droppedMessages":\(most)}}]}}
        """
      let read = try HARReading.transfers(Data(text.utf8))
      let transfer = try #require(read.first)
      #expect(transfer.request.headBytes == (1 << 53) - 1)
      #expect(transfer.droppedMessages == (1 << 53) - 1)
      #expect(!ReportDocument.data(read, title: "").isEmpty)
      #expect(!JSONLines.data(read).isEmpty)
      #expect(!HARDocument.data(read).isEmpty)
    }

    @Test(arguments: ["", "{}", "[]", "{\"log\":{}}", "{\"log\":{\"entries\":[{}]}}", "no JSON"]) func whatIsNoArchiveIsRefused(
      _ text: String
    ) {
      #expect(throws: HARReading.Unreadable.self) { try HARReading.transfers(Data(text.utf8)) }
    }

    /// What the package Replay reads (its HAR.swift): whole numbers of milliseconds, dates with fractions.
    @Test func whatTakesWholeNumbersAloneCanReadIt() throws {
      struct Document: Decodable { let log: Log }
      struct Log: Decodable { let entries: [Entry] }
      struct Entry: Decodable {
        let time: Int
        let timings: Timings
        let request: Request
        let response: Response
      }
      struct Timings: Decodable { let blocked, dns, connect, ssl, send, wait, receive: Int }
      struct Request: Decodable {
        let method, url: String
        let headersSize, bodySize: Int
      }
      struct Response: Decodable {
        struct Content: Decodable {
          let size: Int
          let mimeType: String
          let text: String?
        }
        let status: Int
        let content: Content
      }
      var transfer = RecordedTransfer.sample()
      transfer.phases.sendStart = 10.4
      transfer.phases.end = 31.6
      let data = HARDocument.data([transfer], wholeMilliseconds: true)
      let entry = try #require(try JSONDecoder().decode(Document.self, from: data).log.entries.first)
      let timings = entry.timings
      #expect(entry.time == timings.blocked + timings.dns + timings.connect + timings.send + timings.wait + timings.receive)
      #expect(entry.response.content.text == "content")
      #expect(entry.request.url == "https://host.example/path?a=1")
    }

    @Test func jsonLinesAreOneObjectEach() throws {
      let lines = String(decoding: JSONLines.data([.sample(), .sample(number: 2, url: "https://h/\n\"<")]), as: UTF8.self)
        .split(separator: "\n")
      #expect(lines.count == 2)
      let second = try #require(try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
      #expect(second["url"] as? String == "https://h/\n\"<")
      #expect(second["status"] as? Int == 200)
    }
  }
#endif
