import BackgroundTransfers

extension TransferQueue.Transfer {
  /// The outcome for the app of a transfer that ends with an error while no task runs: with the response and the counts that were stored.
  func outcome(_ error: ErrorValue) -> TransferOutcome {
    var outcome = TransferOutcome()
    outcome.error = error
    outcome.response = response
    (outcome.sent, outcome.received) = (progress.sent, progress.received)
    (outcome.expectedToSend, outcome.expectedToReceive) = (progress.expectedToSend, progress.expectedToReceive)
    return outcome
  }
}
