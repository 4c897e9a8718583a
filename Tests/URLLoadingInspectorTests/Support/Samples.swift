#if Inspector
  import Foundation
  import LoadingModel

  @testable import URLLoadingInspector

  extension RecordedTransfer {
    /// A transfer that has everything.
    static func sample(number: Int = 1, url: String = "https://host.example/path?a=1", body: String = "content") -> RecordedTransfer {
      var transfer = RecordedTransfer(number: number, start: Date(timeIntervalSince1970: 1_700_000_000.125))
      transfer.origin = Origin(session: 2, task: 3, kind: "data", description: "a task")
      transfer.state = .completed
      transfer.request.url = url
      transfer.request.method = "POST"
      transfer.request.fields = HeaderFields([("Host", "host.example"), ("Content-Type", "application/json"), ("Cookie", "a=REDACTED")])
      transfer.request.headBytes = 120
      transfer.request.bodyBytes = 7
      transfer.request.body = RecordedBody(Data(#"{"a":1}"#.utf8))
      var response = Response()
      (response.status, response.reason, response.version) = (200, "OK", "HTTP/1.1")
      response.fields = HeaderFields([("Content-Type", "text/plain"), ("Set-Cookie", "s=REDACTED; Path=/; Secure")])
      response.mediaType = "text/plain"
      (response.headBytes, response.bodyBytes, response.decodedBytes) = (90, Int64(body.utf8.count), Int64(body.utf8.count))
      response.body = RecordedBody(Data(body.utf8))
      transfer.response = response
      transfer.phases.lookupStart = 1
      transfer.phases.lookupEnd = 3
      transfer.phases.connectStart = 3
      transfer.phases.tlsStart = 5
      transfer.phases.tlsEnd = 9
      transfer.phases.connectEnd = 9
      transfer.phases.sendStart = 10
      transfer.phases.sendEnd = 11
      transfer.phases.receiveStart = 21
      transfer.phases.receiveEnd = 30
      transfer.phases.end = 31
      var connection = Connection()
      (connection.number, connection.protocolName, connection.address, connection.port) = (4, "http/1.1", "192.0.2.1", 443)
      (connection.tls, connection.cipherSuite, connection.localPort) = ("TLS 1.3", 0x1301, 50_000)
      connection.earlyData = "accepted"
      transfer.connection = SharedConnection(connection)
      transfer.source = "network"
      transfer.cache = CacheUse("fetch", "nothingStored")
      transfer.events = [Event(time: 12, text: "103 Early Hints")]
      return transfer
    }
  }
#endif
