import Foundation

/// Writes the documentation's figures as SVG.
///
///     Figures FOLDER
@main enum Figures {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Figures FOLDER")
      exit(64)
    }
    let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
    for figure in [sessionsAndTasks, completionHandler, delegate, modules, stages] {
      try figure.svg().write(to: folder.appending(path: "\(figure.name).svg"))
    }
  }

  /// What a session has, and what its tasks are.
  private static var sessionsAndTasks: Diagram {
    var figure = Diagram("sessions-and-tasks", width: 760, height: 330)
    figure.box(
      "URLSessionConfiguration", ["default, ephemeral,", "background", "copied when the session is made"], x: 20, y: 30, width: 220,
      height: 90, role: .app)
    figure.box(
      "URLSession", ["connections, cookies, cache,", "credentials, one delegate", "shared by its tasks"], x: 300, y: 30, width: 210,
      height: 90)
    figure.box("delegate", ["kept until the session", "is invalidated"], x: 570, y: 30, width: 170, height: 75, role: .app)
    figure.arrow([(240, 75), (300, 75)])
    figure.arrow([(510, 65), (570, 65)])
    let kinds: [(String, [String])] = [
      ("data", ["bytes in memory"]), ("upload", ["from data, a file,", "or a stream;", "resumable"]),
      ("download", ["to a file; resumable"]),
      ("WebSocket", ["messages"]), ("stream", ["TCP, with TLS"]),
    ]
    for (index, kind) in kinds.enumerated() {
      let x = 20 + CGFloat(index) * 147
      figure.box(kind.0, kind.1, x: x, y: 230, width: 132, height: 85)
      figure.arrow([(405, 120), (405, 170), (x + 66, 170), (x + 66, 230)])
    }
    return figure
  }

  /// A load whose result comes to a completion handler.
  private static var completionHandler: Diagram {
    var figure = Diagram("completion-handler", width: 760, height: 250)
    figure.box("app", ["dataTask(with:) { … }", "task.resume()"], x: 20, y: 30, width: 180, height: 75, role: .app)
    figure.box("task", ["suspended, running,", "completed"], x: 300, y: 30, width: 160, height: 75)
    figure.box("server", [], x: 610, y: 30, width: 130, height: 75, role: .network)
    figure.arrow([(200, 55), (300, 55)], "resume()", offset: (-24, -4))
    figure.arrow([(460, 50), (610, 50)], "request", offset: (-20, -4))
    figure.arrow([(610, 85), (460, 85)], "response, body", offset: (-38, 16))
    figure.box(
      "completion handler", ["(data, response, error)", "on the delegate queue, once"], x: 20, y: 160, width: 220, height: 70, role: .app)
    figure.arrow([(380, 105), (380, 195), (240, 195)], "the whole body, or the error", offset: (10, 30))
    return figure
  }

  /// A load whose events go to a delegate as they come.
  private static var delegate: Diagram {
    var figure = Diagram("delegate", width: 760, height: 470)
    figure.box("task", ["running"], x: 20, y: 30, width: 130, height: 420)
    figure.box(
      "delegate", ["of the task, then of the session;", "called in order on the delegate queue"], x: 480, y: 30, width: 260, height: 420,
      role: .app)
    let calls = [
      ("didReceive challenge", "credential, or refusal"), ("willPerformHTTPRedirection", "the next request, or nil"),
      ("didReceive response", "allow, cancel, become"), ("didReceive data", ""), ("didFinishCollecting metrics", ""),
      ("didCompleteWithError", ""),
    ]
    for (index, call) in calls.enumerated() {
      let y = 90 + CGFloat(index) * 60
      figure.arrow([(150, y), (480, y)], call.0, offset: (-100, -4))
      if !call.1.isEmpty { figure.arrow([(480, y + 26), (150, y + 26)], call.1, offset: (-100, -4), isDashed: true) }
    }
    return figure
  }

  /// The modules of this package.
  private static var modules: Diagram {
    var figure = Diagram("modules", width: 760, height: 500)
    let rows: [[(String, String, Diagram.Role)]] = [
      [("urlload", "the tool", .app), ("urlsessiond", "the daemon", .app), ("your program", "", .app)],
      [
        ("FoundationNetworking", "for existing sources", .library), ("Security, Combine", "Apple's names", .library),
        ("URLLoadingHTTPTypes", "", .library),
      ],
      [
        ("URLLoadingSystem", "URLSession and its kin; errors become URLError", .library),
        ("BackgroundTransfers", "messages, queue on disk", .library),
      ],
      [("LoadingEngine", "plan, stages, driver, built-in schemes", .library), ("Stores", "cookies, cache, credentials", .library)],
      [("HTTPTransport", "pool, connecting, TLS, HTTP/1 to 3", .library), ("FTPTransport", "FTP", .library)],
      [("ProtocolRules", "rules without sockets, clock or files", .library), ("LoadingModel", "values", .library)],
    ]
    for (row, boxes) in rows.enumerated() {
      let width = (720 - CGFloat(boxes.count - 1) * 16) / CGFloat(boxes.count)
      for (column, box) in boxes.enumerated() {
        figure.box(
          box.0, box.1.isEmpty ? [] : [box.1], x: 20 + CGFloat(column) * (width + 16), y: 20 + CGFloat(row) * 78, width: width, height: 54,
          role: box.2)
      }
      if row > 0 { figure.arrow([(380, CGFloat(row) * 78 - 4), (380, 20 + CGFloat(row) * 78)]) }
    }
    return figure
  }

  /// A load's way through the stages of the engine.
  private static var stages: Diagram {
    var figure = Diagram("stages", width: 760, height: 480)
    figure.box("task", ["resume()"], x: 20, y: 180, width: 110, height: 70, role: .app)
    let names = [
      "interceptors", "redirects", "HSTS", "transport security", "cookies", "content coding", "cache", "authentication", "proxies",
      "retries",
      "exchange",
    ]
    for (index, name) in names.enumerated() {
      let y = 20 + CGFloat(index) * 41
      figure.box(name, x: 250, y: y, width: 180, height: 29)
      if index > 0 { figure.arrow([(340, y - 12), (340, y)]) }
    }
    figure.arrow([(130, 200), (190, 200), (190, 34), (250, 34)], "request", offset: (-20, -4))
    figure.box("pool", ["a connection is leased,", "or opened"], x: 520, y: 380, width: 190, height: 70)
    figure.arrow([(430, 440), (520, 440)])
    figure.box("server", [], x: 555, y: 180, width: 120, height: 60, role: .network)
    figure.arrow([(615, 380), (615, 240)], "bytes", offset: (8, 8))
    figure.arrow([(250, 440), (75, 440), (75, 250)], "response, body", offset: (-70, 22), isDashed: true)
    return figure
  }
}
