import Foundation
import LoadingModel
import ProtocolRules

/// The logs of Certificate Transparency (RFC 6962) that are accepted, for `URLSessionConfiguration.certificateTransparencyLogs`. An addition to
/// Apple's API: Apple's systems have a list of their own.
///
/// ```swift
/// configuration.certificateTransparencyLogs = try URLSessionCertificateTransparencyLogs(contentsOf: URL(filePath: "log_list.json"))
/// ```
/// A list is read once, when this value is made. Logs are added and retired in the course of a year: an app that requires transparency must keep its
/// list up to date.
public struct URLSessionCertificateTransparencyLogs: Sendable, Hashable {
  let logs: TransparencyLogs
  /// The list's file, which a background session's daemon reads again; nil if the list was given as data.
  let file: URL?

  /// Reads the list in a file: Google's `log_list.json` (version 3) or Apple's `current_log_list.json`. The signature that Google publishes with the
  /// file isn't checked: the app must get the file from a source that it trusts.
  ///
  /// - Throws: `CocoaError` if the file can't be read, isn't such a list, or has no log whose timestamps are accepted; its description says which.
  public init(contentsOf file: URL) throws {
    logs = try URLSessionCertificateTransparencyLogs.read(Data(contentsOf: file), file)
    self.file = file
  }

  /// Reads a list from the contents of such a file. Background sessions can't use a list without a file.
  ///
  /// - Throws: `CocoaError`, as `init(contentsOf:)`.
  public init(data: Data) throws {
    logs = try URLSessionCertificateTransparencyLogs.read(data, nil)
    file = nil
  }

  /// The number of logs whose timestamps are accepted: pending and rejected logs aren't counted.
  public var count: Int { logs.count }

  /// The date on which the list was made; nil if the list doesn't contain it.
  public var date: Date? { logs.date }

  /// The list in the file that the environment variable `URL_LOADING_SYSTEM_CT_LOGS` names; nil if it isn't set, or the file can't be read. Read when
  /// first used.
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
