import BackgroundTransfers

extension TransferQueue.Transfer {
  /// What the app is told where no task of the transfer runs.
  func outcome(_ error: ErrorValue) -> TransferOutcome {
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.response = response
    (outcome.sent, outcome.received) = (progress.sent, progress.received)
    (outcome.expectedToSend, outcome.expectedToReceive) = (progress.expectedToSend, progress.expectedToReceive)
    return outcome
  }
}
