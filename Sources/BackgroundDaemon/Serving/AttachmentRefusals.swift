import BackgroundTransfers
import Foundation

/// Refusals of an app that wants to attach a session.
enum AttachmentRefusals {
  /// - Throws: If app and daemon have different versions of the messages.
  static func checkVersion(_ attachment: Attachment) throws(Refusal) {
    guard attachment.version != WireVersion.current else { return }
    throw Refusal(
      .version,
      """
      The app speaks version \(attachment.version) of the background sessions' messages, urlsessiond version \(WireVersion.current). \
      Update the older one; a running urlsessiond ends when it is idle, or with SIGTERM.
      """)
  }

  static func sessionInUse(_ attachment: Attachment, by process: pid_t) -> Refusal {
    Refusal(
      .sessionInUse, "Process \(process) has the session \(attachment.terms.identifier) already. A background session is one process's.")
  }
}
