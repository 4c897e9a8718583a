import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

// Asks the delegate before a response is stored (`willCacheResponse`), and passes responses to a subclass of `URLCache`.

extension TaskLoad: CachingReviewing {
  nonisolated(nonsending) func review(_ proposal: CacheProposal) async -> CacheProposal? {
    guard let dataTask = task as? URLSessionDataTask else { return nil }
    let proposed = CachedURLResponse(response: URLResponse.make(proposal.response), data: proposal.body)
    guard let answer = await review(proposed, of: dataTask) else { return nil }
    var result = proposal.changed(to: answer, from: proposed)
    // A subclass of `URLCache` gets the delegate's own object. `URLCache` itself stores bytes, and needs the object only for a `userInfo` that can't
    // be archived.
    let goesToApp = session.settings.urlCache.map { type(of: $0) != URLCache.self } ?? false
    if goesToApp || (result.userInfo == nil && answer.userInfo != nil) { result.object = answer }
    return result
  }

  /// The delegate's version of a response that is about to be stored; nil if it isn't to be stored, or the load was interrupted while waiting.
  nonisolated(nonsending) func review(_ proposed: CachedURLResponse, of dataTask: URLSessionDataTask) async -> CachedURLResponse? {
    let (chain, session) = (chain, session)
    do throws(LoadError) {
      return try await AppWait<CachedURLResponse?>.ask(context) { wait in
        pump.post { chain.willCacheResponse(session, dataTask, proposed, then: wait.answer) }
      }
    } catch {
      return nil
    }
  }
}

extension CacheProposal {
  /// The proposal with the changes that the delegate has made.
  fileprivate func changed(to answer: CachedURLResponse, from proposed: CachedURLResponse) -> CacheProposal {
    var result = self
    guard answer !== proposed else { return result }
    result.storagePolicy = Int(answer.storagePolicy.rawValue)
    result.userInfo = CachedUserInfo.archived(answer.userInfo)
    result.body = answer.data
    if answer.response !== proposed.response, let http = answer.response as? HTTPURLResponse {
      result.response.kind = .http(http.head)
    }
    return result
  }
}
