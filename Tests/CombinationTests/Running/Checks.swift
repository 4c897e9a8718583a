import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// What holds of every case, whatever its values are.
struct Checks {
  let chosen: Case
  let scene: Scene
  let app: App
  let journals: [Journal]

  /// - Parameter isComplete: Whether everything has ended; what only holds then isn't looked at otherwise.
  func problems(isComplete: Bool) -> [String] {
    var problems: [String] = []
    for journal in journals {
      var found = ends(journal, isComplete) + order(journal) + content(journal) + outcome(journal, isComplete)
      if isComplete { found += uploads(journal) }
      problems += found.map { "task \(journal.number): \($0)" }
      if !found.isEmpty { problems.append("task \(journal.number) was told: \(journal.told)") }
    }
    problems += credentials() + limits()
    let after = app.afterInvalidation.withLock { $0 }
    // Delegates of their own are told of tasks that some calls make when their session has ended.
    if after > 0, !chosen.isLazy || chosen.interface != .taskDelegate { problems.append("\(after) calls after the session's end") }
    return problems
  }

  // MARK: the end

  private func ends(_ journal: Journal, _ isComplete: Bool) -> [String] {
    let state = journal.state.read { $0 }
    var problems: [String] = []
    if state.ends > 1, !journal.wasAbandoned { problems.append("it ended \(state.ends) times") }
    // A handler's task has metrics and, for an async caller, a delegate's end that isn't ordered with what the call returns.
    let late = state.late.filter { (journal.isEndedByDelegate || !Checks.isBeside($0)) && !isRead($0) }
    if !late.isEmpty, !journal.wasAbandoned { problems.append("after its end came \(late)") }
    let completions = state.entries.count { if case .completed = $0 { true } else { false } }
    if completions > 1 { problems.append("didComplete came \(completions) times") }
    return problems
  }

  /// What a call in a Swift task has returned, which isn't ordered with the delegate's calls.
  private func isRead(_ entry: Journal.Entry) -> Bool {
    guard chosen.work.isConversation || chosen.work == .becomeStream, case .data = entry else { return false }
    return true
  }

  private static func isBeside(_ entry: Journal.Entry) -> Bool {
    switch entry {
    case .metrics, .completed, .sent, .created, .challenge: true
    default: false
    }
  }

  // MARK: order

  private func order(_ journal: Journal) -> [String] {
    var problems: [String] = []
    var (hasResponse, hasMetrics, sent, written) = (false, false, Int64(-1), Int64(-1))
    for entry in journal.entries where journal.isEndedByDelegate {
      switch entry {
      case .response:
        if hasResponse { problems.append("two responses") }
        hasResponse = true
      case .data:
        let hasOwn: [Work] = [.data, .uploadData, .uploadFile, .uploadStream]
        if !hasResponse, hasOwn.contains(chosen.work) { problems.append("data before a response") }
      case .redirect:
        if hasResponse { problems.append("a redirect after the response") }
      case .sent(let total):
        // A body that is sent again begins again.
        if total < sent, resends == 0 { problems.append("bytes sent go back from \(sent) to \(total)") }
        sent = total
      case .written(let total):
        if total < written { problems.append("bytes written go back from \(written) to \(total)") }
        written = total
      case .metrics:
        if hasMetrics { problems.append("metrics came twice") }
        hasMetrics = true
      case .completed:
        if !hasMetrics, !chosen.work.isBackground { problems.append("the end came without metrics") }
      default: break
      }
    }
    return problems
  }

  // MARK: content

  /// Whatever came is the beginning of what was sent, and with a good end all of it.
  private func content(_ journal: Journal) -> [String] {
    let state = journal.state.read { $0 }
    // Refusals and redirects have bodies of their own.
    if let status = state.status, ![200, 206, 404].contains(status) { return [] }
    var problems: [String] = []
    if !AlphabetPattern.match(state.body, at: 0) { problems.append("wrong bytes") }
    if chosen.work != .resumableUpload, state.body.count > chosen.size.count { problems.append("\(state.body.count) bytes are too many") }
    let isGood = journal.hasEnded && journal.code == nil && !journal.wasAbandoned
    if isGood, expectsAll, state.body.count != chosen.size.count {
      problems.append("\(state.body.count) of \(chosen.size.count) bytes and no error")
    }
    return problems
  }

  /// A task that ends well has all bytes.
  private var expectsAll: Bool {
    switch chosen.work {
    case .resumableUpload: false
    // What their app does not read isn't asked for.
    case .webSocket, .stream, .becomeStream: chosen.conduct == .answers && chosen.action == .none
    default: true
    }
  }

  // MARK: outcome

  private func outcome(_ journal: Journal, _ isComplete: Bool) -> [String] {
    guard isComplete, !journal.wasAbandoned else { return [] }
    guard let code = journal.code else { return chosen.mustFail ? ["it succeeded"] : [] }
    // By the time it is seen whether a close frame was answered too late, or not waited for.
    if chosen.mustSucceed { return ["it failed with \(code)" + (journal.timeToClose.map { ", \($0) after it was closed" } ?? "")] }
    return chosen.allows(code) ? [] : ["it failed with \(code), for which there is no cause"]
  }

  // MARK: uploads

  /// How often a body may be sent again.
  private var resends: Int {
    var count = 0
    if chosen.login == .basic || chosen.way == .proxyWithLogin { count += 3 }
    if [.redirects, .redirectsElsewhere].contains(chosen.conduct) { count += 1 }
    // One that a closing server hasn't acted on.
    if chosen.mayMeetAnEnd { count += 5 }
    return count + (chosen.conduct.succeeds && chosen.isOnce == .no ? 0 : 1)
  }

  /// What the server has answered, it has got once (RFC 9110, 9.2.2).
  private func uploads(_ journal: Journal) -> [String] {
    guard chosen.work.isUpload, chosen.work != .resumableUpload else { return [] }
    let own = scene.server.requests.filter { $0.headers[Users.field] == "\(journal.number)" && $0.path == "/task" && $0.isComplete }
    var problems: [String] = []
    // A whole body is whole; what was broken off isn't looked at.
    for request in own where request.resetCode == nil && !chosen.stopsReading {
      let isWhole = request.bodyLength == chosen.size.count
      if !isWhole, chosen.source == .whole { problems.append("\(request.bodyLength) bytes arrived as whole") }
      if !AlphabetPattern.match(request.body, at: 0) { problems.append("wrong bytes arrived") }
    }
    let answered = own.filter { chosen.login == .none || $0.headers["Authorization"] == Users.authorization }
    // What GOAWAY says wasn't acted on is sent again, though the test server has read it (RFC 9113, 6.8).
    if answered.count > 1, chosen.conduct.succeeds, !chosen.mayMeetAnEnd { problems.append("the body arrived \(answered.count) times") }
    return problems
  }

  // MARK: credentials

  private func credentials() -> [String] {
    var problems: [String] = []
    for request in scene.other.requests {
      for name in ["Authorization", "Cookie"] where request.headers.contains(name: name) {
        problems.append("another origin was sent \(name)")
      }
    }
    for request in scene.other.requests + scene.server.requests where request.headers.contains(name: "Proxy-Authorization") {
      // The test proxy passes on what follows a connection's first request as it is: what the client has sent to a proxy is in absolute form.
      let isForwarded = chosen.way == .proxyWithLogin && request.uri.hasPrefix("http://")
      if !isForwarded { problems.append("an origin was sent Proxy-Authorization") }
    }
    for request in scene.server.requests {
      if request.headers.contains(name: "Authorization"), chosen.login == .none { problems.append("Authorization was sent unasked") }
      let mayHaveCookies = chosen.keeping == .cookies || chosen.work.isBackground
      if !mayHaveCookies, request.headers.contains(name: "Cookie") { problems.append("a cookie was sent") }
    }
    return problems
  }

  // MARK: limits

  private func limits() -> [String] {
    // What the server hasn't seen closed yet counts there as open.
    let closes: [Conduct] = [.closes, .closesSilently, .redirectsElsewhere]
    let loads: [Work] = [.data, .download, .uploadData, .uploadFile]
    guard !chosen.wire.isMultiplexed, chosen.action == .none, chosen.conduct.succeeds, !closes.contains(chosen.conduct),
      chosen.login == .none, chosen.source == .whole, loads.contains(chosen.work)
    else { return [] }
    let most = scene.mostConnections
    return most > chosen.connections.number ? ["\(most) connections were open"] : []
  }
}
