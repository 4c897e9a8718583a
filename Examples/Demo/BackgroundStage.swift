#if TestKit
  import BackgroundTransfers
  @preconcurrency import Dispatch
  import Foundation
  import LoadingModel

  /// What the background step has for itself: a home with a daemon of its own, and a pipe through which the app reports.
  final class BackgroundStage: Sendable {
    /// Where the app puts what it has taken.
    static let file = "taken.bin"
    /// The pipe's name.
    static let pipe = "reports"

    let folder: URL
    private let variables: [String: String]
    private let places: BackgroundPlaces
    private let lines: AsyncStream<String>
    private let source: any DispatchSourceRead

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "url-loading-demo-\(UUID().uuidString)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let daemon = try BackgroundStage.program().deletingLastPathComponent().appending(path: "urlsessiond", directoryHint: .notDirectory)
      variables = [
        "URL_LOADING_SYSTEM_HOME": folder.appending(path: "home", directoryHint: .notDirectory).path(percentEncoded: false),
        DaemonStarter.variable: daemon.path(percentEncoded: false),
      ]
      guard DaemonStarter.executable(environment: variables) != nil else {
        throw DemoFailure("urlsessiond isn't beside this program: build it with 'swift build --product urlsessiond'")
      }
      places = try BackgroundPlaces(environment: variables, home: folder)
      (lines, source) = try BackgroundStage.reports(folder)
    }

    /// This program's file.
    static func program() throws -> URL {
      URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), directoryHint: .notDirectory)
    }

    /// Starts the app, which downloads `url` in the background.
    func startApp(_ url: URL) throws -> DemoAppProcess {
      let arguments = [DemoBackgroundApp.word, url.absoluteString, folder.path(percentEncoded: false)]
      var environment = ProcessEnvironment.variables.merging(variables) { $1 }
      environment[SessionTerms.Launch.variable] = nil
      return try DemoAppProcess(BackgroundStage.program(), arguments, environment)
    }

    /// The app's next report, which must be about `subject`.
    func report(_ subject: String) async throws -> String {
      var iterator = lines.makeAsyncIterator()
      guard let line = await iterator.next() else { throw CancellationError() }
      try demand(line.hasPrefix(subject + " "), "the app reported: \(line)")
      return String(line.dropFirst(subject.count + 1))
    }

    /// Ends the daemon and removes what there is; in any case, so also where the step is cancelled.
    func close() async {
      source.cancel()
      await withCheckedContinuation { done in
        Thread.detachNewThread { [self] in
          endDaemon()
          try? FileManager.default.removeItem(at: folder)
          done.resume()
        }
      }
    }

    private func endDaemon() {
      struct Status: Decodable { var process: Int32? }
      let environment = ProcessEnvironment.variables.merging(variables) { $1 }
      guard let output = try? DemoTool.output(["background", "status", "--json"], environment),
        let daemon = try? JSONDecoder().decode(Status.self, from: output).process, daemon > 0
      else { return }
      kill(daemon, SIGTERM)
      // Its lock is released when it has ended.
      let lock = open(places.lock.path(percentEncoded: false), O_RDWR | O_CLOEXEC)
      guard lock >= 0 else { return }
      flock(lock, LOCK_EX)
      Foundation.close(lock)
    }

    /// The lines that come through a new pipe.
    private static func reports(_ folder: URL) throws -> (AsyncStream<String>, any DispatchSourceRead) {
      let path = folder.appending(path: pipe, directoryHint: .notDirectory).path(percentEncoded: false)
      guard mkfifo(path, 0o600) == 0 else { throw DemoFailure("no pipe: \(String(cString: strerror(errno)))") }
      // For writing too: the pipe has no end when the app has ended.
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw DemoFailure("no pipe: \(String(cString: strerror(errno)))") }
      let (lines, line) = AsyncStream.makeStream(of: String.self)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
      source.setEventHandler {
        // A report is one write: it arrives as a whole.
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return }
        for text in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") { line.yield(String(text)) }
      }
      source.setCancelHandler { Foundation.close(descriptor) }
      source.resume()
      return (lines, source)
    }
  }

  /// The running app.
  struct DemoAppProcess: Sendable {
    private let identifier: pid_t
    private let end: AsyncStream<Void>

    init(_ program: URL, _ arguments: [String], _ environment: [String: String]) throws {
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      process.environment = environment
      process.standardOutput = FileHandle.nullDevice
      let (end, ending) = AsyncStream.makeStream(of: Void.self)
      self.end = end
      process.terminationHandler = { _ in ending.finish() }
      try process.run()
      identifier = process.processIdentifier
    }

    /// Kills it, and returns its identifier when it has ended.
    func kill() async -> pid_t {
      Foundation.kill(identifier, SIGKILL)
      for await _ in end {}
      return identifier
    }
  }
#endif
