#if Inspector
  import Foundation

  /// Computes the answers to allowed requests of the page. Thread-safe.
  struct PageAnswers: Sendable {
    struct Answer {
      var status = 200
      var type = "application/json"
      var body = Data()
      /// The file name under which a browser saves the answer; nil to display it.
      var fileName: String?

      static var notFound: Answer { Answer(status: 404, type: "text/plain; charset=utf-8", body: Data("there is nothing here\n".utf8)) }
    }

    let inspector: URLSessionInspector
    /// The title that the page displays.
    let title: String

    func answer(isPost: Bool, _ path: String) -> Answer {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      if isPost { return change(path) }
      switch parts.count {
      case 1: return file(path)
      case 3 where parts[0] == "api" && parts[1] == "transfer": return transfer(parts[2])
      case 4 where parts[0] == "api" && parts[1] == "body": return body(parts[2], parts[3])
      default: return .notFound
      }
    }

    private func file(_ name: String) -> Answer {
      switch name {
      case "": Answer(type: "text/html; charset=utf-8", body: Data(PageDocument.html(title: title).utf8))
      case "page.css": Answer(type: "text/css; charset=utf-8", body: Data(PageStyle.text.utf8))
      case "page.js": Answer(type: "text/javascript; charset=utf-8", body: Data(PageScript.text.utf8))
      case "export.har": Answer(body: inspector.har(), fileName: "transfers.har")
      case "export.jsonl": Answer(type: "application/x-ndjson", body: inspector.jsonLines(), fileName: "transfers.jsonl")
      case "report.html":
        Answer(type: "text/html; charset=utf-8", body: ReportDocument.data(inspector.transfers, title: title), fileName: "transfers.html")
      default: .notFound
      }
    }

    private func change(_ path: String) -> Answer {
      switch path {
      case "api/pause": inspector.isPaused = true
      case "api/resume": inspector.isPaused = false
      case "api/clear": inspector.removeAll()
      default: return .notFound
      }
      return Answer(body: Data("{}".utf8))
    }

    private func transfer(_ number: String) -> Answer {
      guard let number = Int(number), let transfer = inspector.transfer(number) else { return .notFound }
      return Answer(body: PageMessages.details(transfer).data)
    }

    /// The recorded body of a transfer, sent as a download of bytes: a browser must never display it as a page of this server.
    private func body(_ number: String, _ side: String) -> Answer {
      guard let number = Int(number), let transfer = inspector.transfer(number) else { return .notFound }
      let bodies = ["request": transfer.request.body, "response": transfer.response?.body]
      guard let recorded = bodies[side] ?? nil else { return .notFound }
      let body = recorded.read
      // The file with the recorded bytes can't be read any more.
      guard body.count == recorded.count else { return .notFound }
      return Answer(type: "application/octet-stream", body: body.data, fileName: "transfer-\(number)-\(side)")
    }
  }
#endif
