public import Foundation
import LoadingModel

/// The body of a form with files, `multipart/form-data` (RFC 7578), as browsers write it. An addition to Apple's API.
///
/// ```swift
/// var form = URLSessionMultipartFormData()
/// form.append("Ann", name: "author")
/// try form.append(file: photo, name: "photo")
/// let (data, response) = try await URLSession.shared.upload(for: request, multipart: form)
/// ```
///
/// A value. Files are read piece by piece while they are sent, and never held in memory; their lengths are read when they are appended, so that the
/// body's length is known in advance. If a file has changed since then, the upload ends with an error.
public struct URLSessionMultipartFormData: Sendable, Hashable {
  /// The boundary that separates the parts, without the leading hyphens.
  public let boundary: String
  private var body = BodyParts()

  /// An empty form with a random boundary, which practically can't occur in the content.
  public init() {
    let digits = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }
    boundary = "form-" + digits.joined()
  }

  /// An empty form with the given boundary, which must not occur in the content; nil if it isn't allowed.
  /// - Parameter boundary: 1 to 70 letters, digits and `'()+_,-./:=?`, or spaces, but not at the end (RFC 2046, 5.1.1).
  public init?(boundary: String) {
    let isAllowed = boundary.utf8.allSatisfy { URLSessionMultipartFormData.isAllowed($0) || $0 == 0x20 }
    guard (1...70).contains(boundary.utf8.count), isAllowed, boundary.last != " " else { return nil }
    self.boundary = boundary
  }

  /// Appends a text field, which is sent unchanged, in UTF-8.
  /// - Parameters:
  ///   - text: The field's value.
  ///   - name: The field's name. Line breaks and quotation marks are escaped, as browsers do (`%0D%0A`, `%22`).
  public mutating func append(_ text: String, name: String) {
    append(Data(text.utf8), name: name)
  }

  /// Appends data, as a field or as a file.
  /// - Parameters:
  ///   - data: The content, sent unchanged.
  ///   - name: The field's name. Line breaks and quotation marks are escaped, as browsers do (`%0D%0A`, `%22`).
  ///   - filename: The file's name, escaped like `name`, which makes the part a file for the server; nil for a field.
  ///   - contentType: The content's MIME type. If it is nil or not printable ASCII, a file is sent as `application/octet-stream`, and a field without
  ///     a type.
  public mutating func append(_ data: Data, name: String, filename: String? = nil, contentType: String? = nil) {
    body.append(Data(head(name, filename, contentType ?? filename.map { _ in URLSessionMultipartFormData.anyType }).utf8))
    body.append(data)
    body.append(Data("\r\n".utf8))
  }

  /// Appends a file, which is read when the form is sent.
  ///
  /// Its length is read at once, which blocks the calling thread.
  /// - Parameters:
  ///   - file: A regular file. It must not change until the form has been sent.
  ///   - name: The field's name. Line breaks and quotation marks are escaped, as browsers do (`%0D%0A`, `%22`).
  ///   - filename: The file's name for the server; nil for the last component of its path.
  ///   - contentType: The content's MIME type; nil for the type of the file's extension, or `application/octet-stream` if that isn't known.
  /// - Throws: `URLError`: `fileDoesNotExist`, `fileIsDirectory`, `noPermissionsToReadFile`, `cannotOpenFile`.
  public mutating func append(file: URL, name: String, filename: String? = nil, contentType: String? = nil) throws {
    let facts: FileFacts
    do throws(LoadError) {
      guard file.isFileURL else { throw LoadError(.cannotOpenFile, .send, "a file of a form must be named by a file: URL") }
      facts = try FileFacts(path: file.path)
    } catch {
      throw error.urlError(failingURL: file)
    }
    let type = contentType ?? FileExtensions.mimeType(forExtension: file.pathExtension) ?? URLSessionMultipartFormData.anyType
    body.append(Data(head(name, filename ?? file.lastPathComponent, type).utf8))
    body.append(path: file.path, facts)
    body.append(Data("\r\n".utf8))
  }

  /// The value for the request's `Content-Type`, with the boundary. The upload methods set it.
  public var contentType: String {
    let isToken = boundary.utf8.allSatisfy {
      URLSessionMultipartFormData.isAllowed($0) && !URLSessionMultipartFormData.quotedBytes.contains($0)
    }
    return "multipart/form-data; boundary=" + (isToken ? boundary : "\"\(boundary)\"")
  }

  /// The length of the whole body in bytes.
  public var contentLength: Int64 { whole.length }

  /// The whole body as an unopened stream, to be written elsewhere or used as `httpBodyStream`.
  ///
  /// Reading fails if a file has changed since it was appended.
  public func makeInputStream() -> InputStream { PartsStream(whole) }

  /// The parts so far and the closing boundary.
  var whole: BodyParts {
    var whole = body
    whole.append(Data("--\(boundary)--\r\n".utf8))
    return whole
  }

  // MARK: The heads of parts

  private static let anyType = "application/octet-stream"

  private func head(_ name: String, _ filename: String?, _ contentType: String?) -> String {
    var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(name, joinsLineBreaks: true))\""
    if let filename { head += "; filename=\"\(escaped(filename, joinsLineBreaks: false))\"" }
    if let contentType {
      let isPrintable = !contentType.isEmpty && contentType.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      if isPrintable || filename != nil { head += "\r\nContent-Type: \(isPrintable ? contentType : URLSessionMultipartFormData.anyType)" }
    }
    return head + "\r\n\r\n"
  }

  /// HTML, 4.10.21.8: "replace any 0x0A (LF) bytes with the byte sequence `%0A`, 0x0D (CR) with `%0D` and 0x22 (") with `%22`".
  /// - Parameter joinsLineBreaks: As for names: "replace every occurrence of U+000D (CR) not followed by U+000A (LF), and every occurrence of
  ///   U+000A (LF) not preceded by U+000D (CR), in entry's name, by a string consisting of a U+000D (CR) and U+000A (LF)".
  private func escaped(_ name: String, joinsLineBreaks: Bool) -> String {
    // Bytes, because appending strings to a view of scalars copies it each time.
    var escaped: [UInt8] = []
    escaped.reserveCapacity(name.utf8.count)
    var previous: UInt8?
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "\r"): escaped += (joinsLineBreaks ? "%0D%0A" : "%0D").utf8
      case UInt8(ascii: "\n") where !joinsLineBreaks: escaped += "%0A".utf8
      case UInt8(ascii: "\n"): if previous != UInt8(ascii: "\r") { escaped += "%0D%0A".utf8 }
      case UInt8(ascii: "\""): escaped += "%22".utf8
      default: escaped.append(byte)
      }
      previous = byte
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static let quotedBytes = Set("()<>@,;:\\\"/[]?= ".utf8)

  /// Whether the byte may occur in a boundary: "bcharsnospace" of RFC 2046, 5.1.1.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "'()+_,-./:=?".utf8.contains(byte)
    }
  }
}
