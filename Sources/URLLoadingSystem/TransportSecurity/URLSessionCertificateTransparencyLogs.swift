import Foundation
import LoadingModel
import ProtocolRules

/// Logs of certificates (Certificate Transparency, RFC 6962), for `URLSessionConfiguration.certificateTransparencyLogs`. An addition to Apple's API,
/// whose system has a list of its own.
///
/// ```swift
/// configuration.certificateTransparencyLogs = try URLSessionCertificateTransparencyLogs(contentsOf: URL(filePath: "log_list.json"))
/// ```
/// A list is read once, when it is made. Logs come and go in the course of a year: an app that requires transparency keeps its list up to date.
public struct URLSessionCertificateTransparencyLogs: Sendable, Hashable {
  let logs: TransparencyLogs
  /// Where a background session's daemon reads it again.
  let file: URL?

  /// The list in a file: Google's `log_list.json` (version 3) or Apple's `current_log_list.json`. The signature that Google publishes beside it isn't
  /// looked at: where the file comes from is the app's concern.
  ///
  /// - Throws: `CocoaError` if the file can't be read, isn't such a list, or has no log whose timestamps count; its description says what is wrong.
  public init(contentsOf file: URL) throws {
    logs = try URLSessionCertificateTransparencyLogs.read(Data(contentsOf: file), file)
    self.file = file
  }

  /// The same of what such a file holds. Background sessions don't know a list without a file.
  ///
  /// - Throws: As `init(contentsOf:)`.
  public init(data: Data) throws {
    logs = try URLSessionCertificateTransparencyLogs.read(data, nil)
    file = nil
  }

  /// How many logs it has whose timestamps count: those that are pending or rejected aren't among them.
  public var count: Int { logs.count }

  /// When the list was made, if it says so.
  public var date: Date? { logs.date }

  /// What the environment variable `URL_LOADING_SYSTEM_CT_LOGS` names, a file of such a list; nil if it names none, or one that can't be read. Read when
  /// it is asked for first.
  static let ofProcess = named(ProcessEnvironment.value("URL_LOADING_SYSTEM_CT_LOGS"))

  static func named(_ path: String?) -> URLSessionCertificateTransparencyLogs? {
    guard let path, !path.isEmpty else { return nil }
    return try? URLSessionCertificateTransparencyLogs(contentsOf: URL(filePath: path))
  }

  private static func read(_ content: Data, _ file: URL?) throws -> TransparencyLogs {
    do {
      return try TransparencyLogs(content)
    } catch {
      throw CocoaError.unusable("the list of certificate transparency logs", error.message, file)
    }
  }
}
