import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

#if Combine
  import Combine
#endif

extension Launcher {
  /// A call in a Swift task, whose cancellation is the app's.
  private func call(_ journal: Journal, _ body: @escaping @Sendable () async throws -> Void) -> Launch {
    let running = Watched<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))
    let begin: @Sendable () -> Void = {
      let task = Task {
        do {
          try await body()
          journal.end(.returned(nil))
        } catch {
          journal.end(.returned(Launcher.code(error)))
        }
      }
      let isCancelled = running.update { running in
        running.task = task
        return running.isCancelled
      }
      if isCancelled { task.cancel() }
    }
    let cancel: @Sendable () -> Void = {
      let task = running.update { running in
        running.isCancelled = true
        return running.task
      }
      task?.cancel()
    }
    return Launch(journal: journal, begin: begin, cancel: cancel, task: { [app] in app.task(journal.number) })
  }

  func awaited(_ journal: Journal) -> Launch {
    let request = request(journal.number)
    let (session, chosen, file) = (session, chosen, file)
    switch chosen.work {
    case .uploadData, .uploadFile:
      return call(journal) {
        let (data, response) =
          chosen.work == .uploadFile
          ? try await session.upload(for: request, fromFile: file)
          : try await session.upload(for: request, from: alphabet(chosen.size.count))
        journal.got(response)
        journal.took(data)
      }
    case .download:
      return call(journal) {
        let (file, response) = try await session.download(for: request)
        journal.got(response)
        journal.took(file: file)
        try? FileManager.default.removeItem(at: file)
      }
    case .resumedDownload:
      return call(journal) { [app] in
        let prelude = Journal(-1, isEndedByDelegate: true)
        let first = session.downloadTask(with: request)
        app.follow(first, prelude)
        endsWithSession(prelude)
        first.resume()
        do {
          try await prelude.state.wait { $0.marks.contains(.received) || $0.ends > 0 }
        } catch {
          first.cancel()
          throw error
        }
        guard let data = await first.cancelByProducingResumeData() else { throw CancellationError() }
        journal.mark(.received)
        let (file, response) = try await session.download(resumeFrom: data)
        journal.got(response)
        journal.took(file: file)
        try? FileManager.default.removeItem(at: file)
      }
    default:
      return call(journal) {
        let (data, response) = try await session.data(for: request)
        journal.got(response)
        journal.took(data)
      }
    }
  }

  func byBytes(_ journal: Journal) -> Launch {
    let (session, request) = (session, request(journal.number))
    return call(journal) {
      let (bytes, response) = try await session.bytes(for: request)
      journal.got(response)
      var content = Data()
      for try await byte in bytes {
        content.append(byte)
        if content.count.isMultiple(of: 4096) {
          journal.took(content)
          content = Data()
        }
      }
      journal.took(content)
    }
  }

  func published(_ journal: Journal) -> Launch {
    #if Combine
      let publisher = session.dataTaskPublisher(for: request(journal.number))
      let subscription = Watched<HeldSink?>(nil)
      let begin: @Sendable () -> Void = {
        guard !journal.hasEnded else { return }
        let sink = publisher.sink { completion in
          switch completion {
          case .finished: journal.end(.returned(nil))
          case .failure(let error): journal.end(.returned(error.code.rawValue))
          }
        } receiveValue: { value in
          journal.got(value.response)
          journal.took(value.data)
        }
        subscription.update { $0 = HeldSink(sink: sink) }
      }
      let cancel: @Sendable () -> Void = {
        subscription.read { $0 }?.sink.cancel()
        // Nothing tells it.
        if !journal.hasEnded { journal.end(.abandoned) }
      }
      return Launch(journal: journal, begin: begin, cancel: cancel, task: { [app] in app.task(journal.number) })
    #else
      return byBytes(journal)
    #endif
  }
}

#if Combine
  private struct HeldSink: @unchecked Sendable {
    // @unchecked: cancelling is thread-safe.
    let sink: AnyCancellable
  }
#endif
