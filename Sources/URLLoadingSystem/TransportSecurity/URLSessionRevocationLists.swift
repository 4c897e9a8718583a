import Foundation
import HTTPTransport

/// Lists of certificates that their authorities have revoked (CRLs; RFC 5280, 5), for `URLSessionConfiguration.revocationLists` and
/// ``SecTrust/setRevocationLists(_:)``. An addition to Apple's API, whose system fetches them.
///
/// ```swift
/// configuration.revocationLists = try URLSessionRevocationLists(contentsOf: URL(filePath: "/etc/example/authority.crl"))
/// ```
/// Lists are read once, when this is made. One that is out of date still counts for what it has.
public struct URLSessionRevocationLists: Sendable, Hashable {
  let lists: RevocationLists
  /// Where a background session's daemon reads them again; empty where it can't.
  let files: [URL]

  /// The lists in a file: one in DER, or any number in PEM ("X509 CRL").
  ///
  /// - Throws: `CocoaError` if the file can't be read, has no list, or one that can't be read.
  public init(contentsOf file: URL) throws { try self.init(contentsOf: [file]) }

  /// The lists in several files.
  ///
  /// - Throws: As `init(contentsOf:)` of one file; its description names the file.
  public init(contentsOf files: [URL]) throws {
    let contents = try files.map { try Data(contentsOf: $0) }
    for (file, content) in zip(files, contents) where RevocationLists([content]) == nil {
      throw URLSessionRevocationLists.problem("“\(file.path(percentEncoded: false))” isn't a revocation list in DER or PEM", file)
    }
    guard let lists = RevocationLists(contents) else { throw URLSessionRevocationLists.problem("there is no file", nil) }
    self.lists = lists
    self.files = files
  }

  /// The same of what such a file holds. Background sessions don't know lists without a file.
  ///
  /// - Throws: As `init(contentsOf:)`.
  public init(data: Data) throws {
    guard let lists = RevocationLists([data]) else { throw URLSessionRevocationLists.problem("it isn't one in DER or PEM", nil) }
    self.lists = lists
    files = []
  }

  /// How many lists there are.
  public var count: Int { lists.count }

  private static func problem(_ text: String, _ file: URL?) -> CocoaError {
    CocoaError.unusable("the revocation list", text, file)
  }
}
