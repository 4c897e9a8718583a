#if Inspector
  import BackgroundTransfers
  import Dispatch
  import Foundation
  import LoadingModel
  import URLLoadingInspector
  import URLLoadingSystem

  /// A running process that is inspected: it records its transfers and serves its page while this program keeps a connection to it.
  struct InspectedProcess {
    private let process: Int32
    private let options: InspectOptions
    private let console = Console(tellsErrors: true)

    init(_ process: Int32, _ options: InspectOptions) { (self.process, self.options) = (process, options) }

    /// The process of urlsessiond.
    static func daemon() throws(ToolFailure) -> Int32 {
      let places: BackgroundPlaces
      do throws(Refusal) { places = try BackgroundPlaces.standard() } catch { throw ToolFailure(.other, error.text) }
      guard let process = OlderDaemon.holder(of: places.lock) else {
        throw ToolFailure(.other, "urlsessiond doesn't run: it is started with the first background transfer")
      }
      return process
    }

    /// Shows the process's transfers until the interrupt key or its end, and writes the files that the options name.
    func run() throws(ToolFailure) -> Int32 {
      let (page, socket) = try ask()
      defer { close(socket) }
      let end = InterruptWait(orEndOf: socket)
      console.line("inspector: \(page.absoluteString)")
      if !options.leavesBrowser { InspectorPage.open(page) }
      guard end.wait() else {
        console.line("inspector: process \(process) has ended, and its transfers with it")
        return 0
      }
      if options.files.isAny { _ = try options.files.writeAny(try transfers(page)) }
      return 0
    }

    private func ask() throws(ToolFailure) -> (page: URL, socket: Int32) {
      let answer: (HeldDoor.Inspection, socket: Int32)
      do throws(HeldDoor.Refusal) {
        answer = try HeldDoor.inspect(process)
      } catch {
        throw ToolFailure(.other, error.text(process: process))
      }
      guard let page = answer.0.url.flatMap({ URL(string: $0) }) else {
        close(answer.socket)
        throw ToolFailure(.other, "process \(process) can't be inspected: \(answer.0.refusal ?? "its answer can't be read")")
      }
      return (page, answer.socket)
    }

    private func transfers(_ page: URL) throws(ToolFailure) -> [RecordedTransfer] {
      let answer = Mutex<Result<Data, any Error>>(.failure(URLError(.unknown)))
      let arrived = DispatchSemaphore(value: 0)
      let session = URLSession(configuration: .ephemeral)
      session.dataTask(with: page.appending(path: "export.har")) { data, _, error in
        answer.withLock { $0 = error.map { .failure($0) } ?? .success(data ?? Data()) }
        arrived.signal()
      }
      .resume()
      arrived.wait()
      session.invalidateAndCancel()
      do {
        return try HARReading.transfers(answer.withLock { $0 }.get())
      } catch {
        throw ToolFailure(.other, "the transfers of process \(process) can't be had: \(error.localizedDescription)")
      }
    }
  }
#endif
