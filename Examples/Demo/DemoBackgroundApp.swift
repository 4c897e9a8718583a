#if TestKit
  import ArgumentParser
  import Foundation
  import URLLoadingSystem

  /// The app of the demonstration's background step, in processes of its own: the first is killed, and urlsessiond starts the second.
  struct DemoBackgroundApp: AsyncParsableCommand {
    static let word = "background-app"
    static let configuration = CommandConfiguration(commandName: "Demo \(word)", shouldDisplay: false)

    fileprivate enum Event: Sendable {
      case loaded(Int64)
      case taken(Int64)
      case failed(String)
      case finished
      case woken(String, @Sendable () -> Void)
    }

    @Argument var url: String
    @Argument var folder: String
    @Flag var woken = false

    func run() async throws {
      guard let url = URL(string: url) else { throw ValidationError("\(url) is no URL.") }
      let (events, event) = AsyncStream.makeStream(of: Event.self)
      URLSession.onBackgroundEvents { identifier, handled in event.yield(.woken(identifier, handled)) }
      let session = URLSession(configuration: try configuration, delegate: AppDelegate(folder, event), delegateQueue: nil)
      if !woken { session.downloadTask(with: url).resume() }
      let pipe = try FileHandle(
        forWritingTo: URL(filePath: folder, directoryHint: .isDirectory).appending(path: BackgroundStage.pipe, directoryHint: .notDirectory)
      )
      try await report(events, to: pipe)
      withExtendedLifetime(session) {}
    }

    private var configuration: URLSessionConfiguration {
      get throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "demo")
        configuration.appTransportSecurity = nil
        let program = try BackgroundStage.program().path(percentEncoded: false)
        configuration.backgroundLaunch = .command([program, DemoBackgroundApp.word, "--woken", url, folder])
        return configuration
      }
    }

    /// Returns when the app has taken all there is.
    private func report(_ events: AsyncStream<Event>, to pipe: FileHandle) async throws {
      var handled: (@Sendable () -> Void)?
      var (hasFinished, hasLoaded) = (false, false)
      var taken: Int64?
      for await event in events {
        switch event {
        case .loaded(let count):
          if !hasLoaded { try say("loaded \(count)", pipe) }
          hasLoaded = true
        case .taken(let count): taken = count
        case .failed(let text): try say("failed \(text)", pipe)
        case .finished: hasFinished = true
        case .woken(let identifier, let handler):
          handled = handler
          try say("woken \(identifier)", pipe)
        }
        guard let handled, let taken, hasFinished else { continue }
        handled()
        return try say("taken \(taken)", pipe)
      }
    }

    private func say(_ text: String, _ pipe: FileHandle) throws { try pipe.write(contentsOf: Data((text + "\n").utf8)) }
  }

  /// Turns what the session says into events. Immutable.
  private final class AppDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
    private let folder: URL
    private let event: AsyncStream<DemoBackgroundApp.Event>.Continuation

    init(_ folder: String, _ event: AsyncStream<DemoBackgroundApp.Event>.Continuation) {
      self.folder = URL(filePath: folder, directoryHint: .isDirectory)
      self.event = event
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
      totalBytesExpectedToWrite: Int64
    ) {
      event.yield(.loaded(totalBytesWritten))
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      do {
        // The file is the session's until this returns.
        try FileManager.default.moveItem(at: location, to: folder.appending(path: BackgroundStage.file, directoryHint: .notDirectory))
        event.yield(.taken(downloadTask.countOfBytesReceived))
      } catch {
        event.yield(.failed("\(error)"))
      }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error { event.yield(.failed(DemoStep.text(error))) }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      event.yield(.failed(error.map { DemoStep.text($0) } ?? "the session has ended"))
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { event.yield(.finished) }
  }
#endif
