import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct DelegateMessagesTests {
  @Test func methodSetsCoverEachProtocol() {
    let all = DelegateMethod.bits(.didBecomeInvalid, through: .didCloseWebSocket)
    #expect(DelegateMethod.allCases.reduce(0) { $0 | $1.bit } == all)
    #expect(DelegateMethod.bits(.didWriteData, through: .didWriteData) == DelegateMethod.didWriteData.bit)
  }

  @Test func messageWithoutAnswerTellsWhetherItIsImplemented() throws {
    let scene = try DelegateScene()
    let plain = PlainDelegate()
    let messages = DelegateMessages(plain)
    for _ in 0..<2 {
      #expect(messages.didReceiveData(scene.session, scene.task, Data(count: 3)))
      #expect(!messages.didComplete(scene.session, scene.task, nil))
    }
    #expect(plain.log.entries == ["data 3", "data 3"])
  }

  @Test func absentMessageIsRememberedForTheClass() throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    let scene = try DelegateScene()
    #expect(DelegateMessages(Fresh()).mayImplement(.didReceiveData))
    #expect(!DelegateMessages(Fresh()).didReceiveData(scene.session, scene.task, Data()))
    #expect(!DelegateMessages(Fresh()).mayImplement(.didReceiveData))
  }

  @Test func protocolNotAdoptedIsKnownAtOnce() throws {
    let scene = try DelegateScene()
    let messages = DelegateMessages(SessionOnlyDelegate())
    #expect(!messages.mayImplement(.didReceiveData))
    #expect(!messages.mayImplement(.didCreateTask))
    #expect(messages.mayImplement(.didBecomeInvalid))
    #expect(
      !messages.didOpen(
        scene.session, URLSessionWebSocketTask(session: scene.session, identifier: 0, request: nil, protocols: []), protocol: nil))
  }

  @Test func plainSpellingIsAsked() throws {
    let scene = try DelegateScene()
    let log = DelegateLog()
    let plain = PlainDelegate(redirectTo: scene.otherRequest)
    for _ in 0..<2 {
      DelegateMessages(plain).willPerformHTTPRedirection(
        scene.session, scene.task, scene.redirect, newRequest: scene.request
      ) { answer in
        answer.pass { log.note($0?.url?.lastPathComponent ?? "none") }
      }
    }
    #expect(log.entries == ["other", "other"])
  }

  @Test func asyncSpellingIsAsked() async throws {
    let scene = try DelegateScene()
    let delegate = AsyncDelegate(redirectTo: scene.otherRequest)
    let messages = DelegateMessages(delegate)
    for _ in 0..<2 {
      let answer = await messages.answer {
        messages.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request, $0)
      }
      #expect(answer == .some(scene.otherRequest))
    }
    #expect(delegate.log.entries == ["redirect", "redirect"])
    #expect(delegate.traitsSpelling(of: .willPerformHTTPRedirection) == .asynchronous)
  }

  @Test func everyAsyncKindAnswers() async throws {
    let scene = try DelegateScene()
    let messages = DelegateMessages(AsyncDelegate())
    let disposition = await messages.answer { messages.didReceiveResponse(scene.session, scene.task, scene.redirect, $0) }
    #expect(disposition == .cancel)
    let stream = await messages.answer { messages.needNewBodyStream(scene.session, scene.task, $0) }
    #expect(stream?.map { _ in true } == true)
    let challenge = scene.challenge(NSURLAuthenticationMethodHTTPBasic)
    let verdict = await messages.answer { messages.didReceiveTaskChallenge(scene.session, scene.task, challenge, $0) }
    #expect(verdict?.0 == .rejectProtectionSpace)
  }

  @Test func absentQuestionIsReportedBeforeTheCallReturns() throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    let scene = try DelegateScene()
    let log = DelegateLog()
    for _ in 0..<2 {
      DelegateMessages(Fresh()).didReceiveResponse(scene.session, scene.task, scene.redirect) { answer in
        if case .notImplemented = answer { log.note("absent") }
      }
    }
    #expect(log.entries == ["absent", "absent"])
    #expect(Fresh().traitsSpelling(of: .didReceiveResponse) == .absent)
  }

  @Test @MainActor func absentQuestionIsReportedAtOnceOnTheMainActorToo() throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    let scene = try DelegateScene()
    let log = DelegateLog()
    DelegateMessages(Fresh()).didReceiveResponse(scene.session, scene.task, scene.redirect) { answer in
      if case .notImplemented = answer { log.note("absent") }
    }
    #expect(log.entries == ["absent"])
  }

  @Test func absentQuestionIsReportedAtOnceOnAnOperationQueue() async throws {
    final class Fresh: NSObject, URLSessionDataDelegate {}
    let scene = try DelegateScene()
    let log = DelegateLog()
    let queue = OperationQueue()
    await withCheckedContinuation { continuation in
      queue.addOperation {
        DelegateMessages(Fresh()).didReceiveResponse(scene.session, scene.task, scene.redirect) { answer in
          if case .notImplemented = answer { log.note("absent") }
        }
        log.note("returned")
        continuation.resume()
      }
    }
    #expect(log.entries == ["absent", "returned"])
  }

  @Test func defaultOfARefinedProtocolCountsAsImplemented() throws {
    let scene = try DelegateScene()
    #expect(DelegateMessages(PoliteFollower()).didCreateTask(scene.session, scene.task))
  }

  @Test @MainActor func mainActorConformerAnswersInBothSpellings() async throws {
    let scene = try DelegateScene()
    let delegate = MainActorDelegate()
    let messages = DelegateMessages(delegate)
    let request = await messages.answer {
      messages.willPerformHTTPRedirection(scene.session, scene.task, scene.redirect, newRequest: scene.request, $0)
    }
    let disposition = await messages.answer { messages.didReceiveResponse(scene.session, scene.task, scene.redirect, $0) }
    #expect(request == .some(scene.request))
    #expect(disposition == .becomeStream)
    #expect(delegate.count == 2)
  }
}

private protocol PoliteDelegate: URLSessionTaskDelegate {}

extension PoliteDelegate {
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
}

private final class PoliteFollower: NSObject, PoliteDelegate {}

extension URLSessionDelegate {
  func traitsSpelling(of method: DelegateMethod) -> DelegateTraits.Spelling {
    DelegateTraits.of(self).spelling(of: method)
  }
}
