import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// One task of a case that can be begun, and what the app can do to it.
struct Launch: Sendable {
  let journal: Journal
  let begin: @Sendable () -> Void
  let cancel: @Sendable () -> Void
  let task: @Sendable () -> URLSessionTask?
}

/// Makes the tasks of a case, each with the interface that the case has.
struct Launcher: Sendable {
  let chosen: Case
  let scene: Scene
  let app: App
  let session: URLSession
  /// The upload's file.
  let file: URL

  func request(_ number: Int) -> URLRequest {
    var request = URLRequest(url: chosen.work == .webSocket ? scene.webSocketURL : scene.uploads?.url ?? scene.url("/task"))
    request.setValue("\(number)", forHTTPHeaderField: Users.field)
    if chosen.work.isUpload { request.httpMethod = chosen.work == .resumableUpload ? "PUT" : "POST" }
    #if HTTP3
      if chosen.wire == .udpOnly { request.assumesHTTP3Capable = true }
    #endif
    return request
  }

  func launch(_ journal: Journal) -> Launch {
    switch chosen.interface {
    case .sessionDelegate, .taskDelegate: delegated(journal)
    case .completion: handled(journal)
    case .asynchronous: awaited(journal)
    case .bytes: byBytes(journal)
    case .publisher: published(journal)
    }
  }

  private func direct(_ task: URLSessionTask, _ journal: Journal, then: @escaping @Sendable () -> Void = {}) -> Launch {
    if chosen.interface == .taskDelegate { task.delegate = app }
    return Launch(
      journal: journal,
      begin: {
        task.resume()
        then()
      },
      cancel: { [app] in
        app.cancelSuccessor(of: journal.number)
        task.cancel()
      }, task: { [app] in app.successor(of: journal.number) ?? task })
  }

  // MARK: delegates

  private func delegated(_ journal: Journal) -> Launch {
    let request = request(journal.number)
    switch chosen.work {
    case .data, .becomeDownload, .becomeStream: return direct(session.dataTask(with: request), journal)
    case .uploadData, .resumableUpload: return direct(session.uploadTask(with: request, from: alphabet(chosen.size.count)), journal)
    case .uploadFile, .backgroundUpload: return direct(session.uploadTask(with: request, fromFile: file), journal)
    case .uploadStream: return direct(session.uploadTask(withStreamedRequest: request), journal)
    case .download, .backgroundDownload: return direct(session.downloadTask(with: request), journal)
    case .resumedDownload:
      return resumed(journal) { [session, app, chosen] data in
        let task = session.downloadTask(withResumeData: data)
        app.follow(task, journal)
        if chosen.interface == .taskDelegate { task.delegate = app } else { endsWithSession(journal) }
        task.resume()
        return task
      }
    case .webSocket:
      let task = session.webSocketTask(with: request)
      return direct(task, journal) { [chosen] in converse(task, journal, chosen) }
    case .stream:
      let task = session.streamTask(withHostName: "127.0.0.1", port: scene.server.port)
      app.follow(task, journal)
      if chosen.wire.isSecure { task.startSecureConnection() }
      return direct(task, journal) { [chosen] in converse(task, journal, chosen) }
    }
  }

  private func converse(_ task: URLSessionWebSocketTask, _ journal: Journal, _ chosen: Case) {
    journal.reads(1)
    Task {
      defer { journal.reads(-1) }
      let content = alphabet(chosen.size.count)
      let step = max(1, content.count / 3)
      for offset in stride(from: 0, to: content.count, by: step) {
        do {
          try await task.send(.data(content.dropFirst(offset).prefix(step)))
          if case .data(let data) = try await task.receive() { journal.took(data) }
        } catch { return }
      }
      journal.closes()
      task.cancel(with: .normalClosure, reason: nil)
    }
  }

  private func converse(_ task: URLSessionStreamTask, _ journal: Journal, _ chosen: Case) {
    journal.reads(1)
    Task {
      defer { journal.reads(-1) }
      // Both at once: an echo that isn't read stops what is sent.
      async let writing: Void? = try? task.write(alphabet(chosen.size.count), timeout: 0)
      var rest = chosen.size.count
      while rest > 0 {
        guard let (data, isLast) = try? await task.readData(ofMinLength: 1, maxLength: rest, timeout: 0) else { break }
        if let data { journal.took(data) }
        rest -= data?.count ?? 0
        if isLast { break }
      }
      _ = await writing
      task.closeWrite()
      task.closeRead()
    }
  }

  // MARK: handlers

  private func handled(_ journal: Journal) -> Launch {
    let request = request(journal.number)
    let handler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
      journal.got(response)
      if let data { journal.took(data) }
      journal.end(.returned(Launcher.code(error)))
    }
    let fileHandler: @Sendable (URL?, URLResponse?, (any Error)?) -> Void = { file, response, error in
      journal.got(response)
      if let file { journal.took(file: file) }
      journal.end(.returned(Launcher.code(error)))
    }
    switch chosen.work {
    case .uploadData, .resumableUpload:
      return direct(session.uploadTask(with: request, from: alphabet(chosen.size.count), completionHandler: handler), journal)
    case .uploadFile: return direct(session.uploadTask(with: request, fromFile: file, completionHandler: handler), journal)
    case .download: return direct(session.downloadTask(with: request, completionHandler: fileHandler), journal)
    case .resumedDownload:
      return resumed(journal) { [session, app] data in
        let task = session.downloadTask(withResumeData: data, completionHandler: fileHandler)
        app.follow(task, journal)
        task.resume()
        return task
      }
    default: return direct(session.dataTask(with: request, completionHandler: handler), journal)
    }
  }

  /// A download that is cancelled when some of it has come, and resumed.
  private func resumed(_ journal: Journal, _ resume: @escaping @Sendable (Data) -> URLSessionTask) -> Launch {
    let prelude = Journal(-1, isEndedByDelegate: true)
    let first = session.downloadTask(with: request(journal.number))
    app.follow(first, prelude)
    endsWithSession(prelude)
    let second = Watched<URLSessionTask?>(nil)
    let begin: @Sendable () -> Void = {
      first.resume()
      Task {
        try? await prelude.state.wait { $0.marks.contains(.received) || $0.ends > 0 }
        guard let data = await first.cancelByProducingResumeData() else { return journal.end(.abandoned) }
        let task = resume(data)
        second.update { $0 = task }
        journal.mark(.received)
      }
    }
    return Launch(
      journal: journal, begin: begin, cancel: { second.read { $0 ?? first }.cancel() }, task: { second.read { $0 ?? first } })
  }

  /// A task that is made when the session has ended tells nothing to the session's delegate, neither of its end.
  func endsWithSession(_ journal: Journal) {
    Task { [app] in
      try? await app.isInvalid.wait { $0 }
      if !journal.hasEnded { journal.end(.abandoned) }
    }
  }

  static func code(_ error: (any Error)?) -> Int? {
    guard let error else { return nil }
    return error is CancellationError ? URLError.cancelled.rawValue : (error as NSError).code
  }
}
