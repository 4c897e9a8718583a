extension URLSession {
  /// What to do with a delayed background request whose `earliestBeginDate` has come, as Apple documents.
  public enum DelayedRequestDisposition: Int, Sendable {
    /// Continue with the original request.
    case continueLoading = 0
    /// Continue with the request given in the answer.
    case useNewRequest = 1
    /// Cancel the task.
    case cancel = 2
  }

  /// How to answer an authentication challenge, as Apple documents.
  public enum AuthChallengeDisposition: Int, Sendable {
    /// Use the given credential; with `nil` the load continues without one.
    case useCredential = 0
    /// Act as if no delegate were there; the credential is ignored.
    case performDefaultHandling = 1
    /// Cancel the whole request; the credential is ignored.
    case cancelAuthenticationChallenge = 2
    /// Refuse this protection space and be offered the next; the credential is ignored.
    case rejectProtectionSpace = 3
  }

  /// What to do with a load once its response is known, as Apple documents.
  public enum ResponseDisposition: Int, Sendable {
    /// Cancel the task.
    case cancel = 0
    /// Continue and deliver the body.
    case allow = 1
    /// Turn the data task into a download task.
    case becomeDownload = 2
    /// Turn the data task into a stream task.
    case becomeStream = 3
  }
}
