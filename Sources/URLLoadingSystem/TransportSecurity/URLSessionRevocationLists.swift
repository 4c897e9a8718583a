import Foundation
import HTTPTransport

/// Lists of certificates that their authorities have revoked (CRLs; RFC 5280, 5), for `URLSessionConfiguration.revocationLists` and
/// ``SecTrust/setRevocationLists(_:)``. An addition to Apple's API: Apple's systems fetch them.
///
/// ```swift
/// configuration.revocationLists = try URLSessionRevocationLists(contentsOf: URL(filePath: "/etc/example/authority.crl"))
/// ```
/// Lists are read once, when this value is made. A list that is out of date still revokes the certificates that it contains.
public struct URLSessionRevocationLists: Sendable, Hashable {
  let lists: RevocationLists
  /// The lists' files, which a background session's daemon reads again; empty if the lists were given as data.
  let files: [URL]

  /// Reads the lists in a file: one in DER, or any number in PEM ("X509 CRL").
  ///
  /// - Throws: `CocoaError` if the file can't be read, contains no list, or a list that can't be read.
  public init(contentsOf file: URL) throws { try self.init(contentsOf: [file]) }

  /// Reads the lists in several files.
  ///
  /// - Throws: `CocoaError`, as `init(contentsOf:)` for one file; its description names the file.
  public init(contentsOf files: [URL]) throws {
    let contents = try files.map { try Data(contentsOf: $0) }
    for (file, content) in zip(files, contents) where RevocationLists([content]) == nil {
      throw URLSessionRevocationLists.problem("“\(file.path(percentEncoded: false))” isn't a revocation list in DER or PEM", file)
    }
    guard let lists = RevocationLists(contents) else { throw URLSessionRevocationLists.problem("there is no file", nil) }
    self.lists = lists
    self.files = files
  }

  /// Reads lists from the contents of such a file. Background sessions can't use lists without a file.
  ///
  /// - Throws: `CocoaError`, as `init(contentsOf:)`.
  public init(data: Data) throws {
    guard let lists = RevocationLists([data]) else { throw URLSessionRevocationLists.problem("it isn't one in DER or PEM", nil) }
    self.lists = lists
    files = []
  }

  /// The number of lists.
  public var count: Int { lists.count }

  private static func problem(_ text: String, _ file: URL?) -> CocoaError {
    CocoaError.unusable("the revocation list", text, file)
  }
}
