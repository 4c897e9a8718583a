import BackgroundTransfers
import Foundation
import URLLoadingSystem

// Challenges, and the beginning of delayed transfers: what only the app can decide.

extension DaemonCore {
  /// Seconds after which a transfer that waits for its app is tried without it once more: a credential may have been stored meanwhile.
  private static let appPause = 3600.0
  /// What an app that answers challenges could have prevented.
  private static let trustErrors: Set<Int> = [-1013, -1200, -1201, -1202, -1203, -1204, -1205, -1206]

  // MARK: challenges

  func answer(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: @escaping QuestionTable.Answer) {
    guard !run.isEnding else { return answer(.cancelAuthenticationChallenge, nil) }
    guard let app = apps[run.session] else { return answerWithoutApp(challenge, of: run, answer) }
    guard app.answersChallenges else { return answer(.performDefaultHandling, nil) }
    questions.removeLate(of: run.identifier)
    let number = questions.add(.challenge(run, challenge, answer), for: run.session)
    run.question = number
    scheduler.lends(run.identifier)
    if app.knowsTasks {
      app.link.send(
        DaemonMessage.challenge(question: number, BackgroundCoding.question(challenge, task: run.transfer.order.task)))
    }
    loop.asyncAfter(deadline: .now() + options.questionPatience) { [weak self] in self?.expire(number) }
    // Its place is another's meanwhile.
    requestTurn()
  }

  /// The app hasn't answered: others of the session need the transfer's place, and the server its connection. It waits for the app.
  private func expire(_ number: Int64) {
    guard isServing, case .challenge(let run, let challenge, let answer)? = questions.open[number]?.subject else { return }
    questions.putOff(number, of: run.identifier)
    endQuestion(of: run)
    park(run, for: challenge)
    answer(.cancelAuthenticationChallenge, nil)
  }

  /// With what is stored. Where that doesn't do and the app takes challenges, or can be launched, the transfer waits for it.
  private func answerWithoutApp(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: QuestionTable.Answer) {
    let method = challenge.protectionSpace.authenticationMethod
    let isStored = challenge.proposedCredential != nil && challenge.previousFailureCount == 0
    // A ticket of Kerberos may do, and certificates are evaluated.
    let hasDefault = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodNegotiate].contains(method)
    guard !isStored, !hasDefault, mayAnswer(run.session) else {
      run.lackedApp = true
      return answer(.performDefaultHandling, nil)
    }
    park(run, for: challenge)
    answer(.cancelAuthenticationChallenge, nil)
  }

  private func park(_ run: TransferRun, for challenge: URLAuthenticationChallenge) {
    note("\(WaitReason.app) (\(challenge.protectionSpace.host))", transfer: run.identifier)
    stop(run, .parked(next: appWaitEnd(run), reason: WaitReason.app))
  }

  /// Whether the app could have helped a transfer that has failed: one that isn't there, or wasn't when it would have been asked.
  func wouldHelp(_ run: TransferRun, after error: ErrorValue) -> Bool {
    guard error.domain == URLErrorValue.domain, DaemonCore.trustErrors.contains(error.code) else { return false }
    guard let app = apps[run.session] else { return mayAnswer(run.session) }
    return run.lackedApp && app.answersChallenges
  }

  /// Whether the session's app answers challenges when it is there again: it has said so, or is started to do it.
  private func mayAnswer(_ session: Int64) -> Bool {
    let isKnownTo = (try? record(of: session))??.answersChallenges ?? false
    return isKnownTo || canLaunch(session)
  }

  func appWaitEnd(_ run: TransferRun) -> Date { min(run.transfer.deadline, now.addingTimeInterval(DaemonCore.appPause)) }

  func take(_ reply: ChallengeReply, to number: Int64, from app: AppAttachment) {
    guard apps[app.session] === app, let subject = challengeAsked(number, of: app) else { return }
    do { try endLaunchPauses(of: app.session) } catch { report("the queue can't be written: \(error)") }
    switch subject {
    case .challenge(let run, let challenge, let answer):
      endQuestion(of: run)
      let (disposition, credential) = BackgroundCoding.answer(reply, to: challenge)
      answer(disposition, credential)
    case .late(let transfer): beginAnew(transfer)
    case .delay: break
    }
    requestTurn()
  }

  /// An answer of the wrong kind leaves the question open.
  private func challengeAsked(_ number: Int64, of app: AppAttachment) -> QuestionTable.Subject? {
    switch questions.open[number]?.subject {
    case .challenge, .late: questions.take(number, from: app.session)
    case .delay, nil: nil
    }
  }

  /// The app is there after all: the transfer doesn't wait any longer.
  private func beginAnew(_ identifier: Int64) {
    if let run = runs[identifier], case .ending(.parked) = run.phase { run.phase = .ending(.parked(next: nil, reason: nil)) }
    do {
      guard let transfer = try queue.transfer(identifier), transfer.waitReason == WaitReason.app else { return }
      try queue.keepAttempt(transfer.attempts, next: nil, reason: nil, identifier)
    } catch {
      report("the queue can't be written: \(error)")
    }
  }

  private func endQuestion(of run: TransferRun) {
    run.question = nil
    scheduler.takesBack(run.identifier)
  }

  /// The run ends: it needs no answer any more.
  func withdrawQuestion(of run: TransferRun) {
    guard let number = run.question else { return }
    endQuestion(of: run)
    guard case .challenge(_, _, let answer)? = questions.take(number, from: run.session) else { return }
    answer(.cancelAuthenticationChallenge, nil)
  }

  /// The app has gone.
  func withdrawQuestions(of session: Int64) {
    for number in questions.numbers(of: session) {
      switch questions.take(number, from: session) {
      case .challenge(let run, let challenge, let answer):
        endQuestion(of: run)
        answerWithoutApp(challenge, of: run, answer)
      case .delay(let transfer):
        scheduler.answered(transfer)
        proceed(transfer)
      case .late, nil: break
      }
    }
  }

  // MARK: delayed transfers

  /// Asks the app before the first attempt of a transfer with an earliest beginning.
  /// - Returns: Whether its answer is awaited.
  func asksApp(before transfer: TransferQueue.Transfer) -> Bool {
    let identifier = transfer.identifier
    guard transfer.order.earliestBegin != nil, transfer.attempts == 0, transfer.resumeData == nil, scheduler.mayAsk(before: identifier),
      let app = apps[transfer.session], app.answersDelays
    else { return false }
    let number = questions.add(.delay(transfer: identifier), for: transfer.session)
    scheduler.asks(before: identifier, question: number)
    if app.knowsTasks { app.link.send(DaemonMessage.delayed(question: number, task: transfer.order.task)) }
    return true
  }

  func take(_ reply: DelayedReply, to number: Int64, from app: AppAttachment, _ batch: MessageBatch) throws {
    guard case .delay(let identifier)? = questions.open[number]?.subject, questions.take(number, from: app.session) != nil else { return }
    scheduler.answered(identifier)
    guard let transfer = try queue.transfer(identifier) else { return }
    switch reply {
    case .proceed: break
    case .replace(let request): try queue.replaceRequest(request, identifier)
    case .cancel: return try cancel(transfer, wantsResumeData: false, batch)
    }
    batch.afterCommit { [weak self] in self?.proceed(identifier) }
  }

  private func proceed(_ identifier: Int64) {
    guard isServing, let transfer = readable(identifier), !transfer.isSuspended else { return requestTurn() }
    check(transfer)
  }

  /// An app that has attached is asked what its earlier connection hasn't answered.
  func askAgain(_ app: AppAttachment) {
    for number in questions.numbers(of: app.session) {
      switch questions.open[number]?.subject {
      case .challenge(let run, let challenge, _):
        let question = BackgroundCoding.question(challenge, task: run.transfer.order.task)
        app.link.send(DaemonMessage.challenge(question: number, question))
      case .delay(let identifier):
        guard let transfer = readable(identifier) else { continue }
        app.link.send(DaemonMessage.delayed(question: number, task: transfer.order.task))
      // It begins anew, and is asked about with another number.
      case .late: questions.remove(number)
      case nil: break
      }
    }
  }
}
