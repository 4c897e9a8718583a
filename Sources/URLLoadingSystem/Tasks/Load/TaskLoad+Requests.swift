import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

// Delegate calls about requests: redirects, custom protocol classes, new body streams and sent bytes.

extension TaskLoad: RedirectAnswering {
  nonisolated(nonsending) func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest? {
    assertConfined()
    // Apple documents that background sessions follow redirects without asking the delegate.
    guard session.background == nil, chain.mayImplement(.willPerformHTTPRedirection) else { return request }
    guard let http = URLResponse.make(response) as? HTTPURLResponse else { return request }
    let (chain, session, task) = (chain, session, task)
    let proposed = URLRequest(load: request)
    do throws(LoadError) {
      let answer: URLRequest? = try await AppWait<URLRequest?>.ask(context) { wait in
        pump.post { chain.willPerformHTTPRedirection(session, task, http, newRequest: proposed, then: wait.answer) }
      }
      return answer.map { task.sendable($0.load) }
    } catch {
      // The load was interrupted while waiting: the engine ends it whatever is returned here.
      return request
    }
  }
}

extension TaskLoad: CustomProtocolProviding {
  nonisolated(nonsending) func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)? {
    assertConfined()
    return await session.protocols.handler(for: task)
  }
}

extension TaskLoad: BodySupplying {
  var suppliesNewStreams: Bool { chain.mayImplement(.needNewBodyStream) }

  nonisolated(nonsending) func newBodyStream(from offset: Int64) async -> LoadRequest.Body {
    assertConfined()
    guard chain.mayImplement(offset > 0 ? .needNewBodyStreamFromOffset : .needNewBodyStream) else { return .none }
    let (chain, session, task) = (chain, session, task)
    do throws(LoadError) {
      let body: LoadRequest.Body = try await AppWait<LoadRequest.Body>.ask(context) { wait in
        pump.post {
          let then: @Sendable (InputStream?) -> Void = { stream in wait.answer(stream.map { .stream($0) } ?? .none) }
          guard offset > 0 else { return chain.needNewBodyStream(session, task, then: then) }
          chain.needNewBodyStream(session, task, from: offset, then: then)
        }
      }
      return body
    } catch {
      return .none
    }
  }

  func willSendBody(expected: Int64) {
    assertConfined()
    // The bytes that the server of a resumed upload already has count as sent.
    let before = upload?.offset ?? 0
    task.count { fields in
      fields.sent = before
      fields.expectedToSend = expected < 0 ? expected : expected + before
    }
  }

  func didSendBody(bytes: Int64, total: Int64, expected: Int64) {
    assertConfined()
    let before = upload?.offset ?? 0
    let (total, expected) = (total + before, expected < 0 ? expected : expected + before)
    task.count { fields in
      fields.sent = total
      fields.expectedToSend = expected
    }
    guard chain.mayImplement(.didSendBodyData) else { return }
    let (chain, session, task) = (chain, session, task)
    pump.post { chain.didSendBodyData(session, task, bytes: bytes, total: total, expected: expected) }
  }
}
