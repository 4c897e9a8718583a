import Foundation
import URLLoadingSystem

/// The body of a request.
enum SentContent: Sendable, Equatable {
  case none
  case data(Data)
  /// A file that is read while it is sent.
  case file(path: String, size: Int64)
  /// Standard input, read while it is sent.
  case standardInput
  /// A form, whose files are read while it is sent.
  case form(URLSessionMultipartFormData)

  /// The body that the options ask for; reads files that are sent as data.
  /// - Throws: If a file can't be read.
  init(_ options: RequestOptions) throws(ToolFailure) {
    if let file = options.uploadFiles.first {
      self = try SentContent(file: file)
      return
    }
    if !options.form.isEmpty {
      self = .form(try SentContent.form(options.form))
      return
    }
    if options.data.count == 1, !options.sendsDataInQuery, let file = options.data[0].plainFile {
      self = try SentContent.streamed(file)
      return
    }
    guard !options.data.isEmpty, !options.sendsDataInQuery else {
      self = .none
      return
    }
    self = .data(try SentContent.joined(options.data))
  }

  /// The content of a file that is sent as by `-T`; "-" is standard input.
  /// - Throws: If it can't be read.
  init(file: String) throws(ToolFailure) { self = try SentContent.streamed(file) }

  /// The values of all options that send data as one body: joined by "&", but JSON without anything in between.
  static func joined(_ arguments: [DataArgument]) throws(ToolFailure) -> Data {
    var data = Data()
    for (index, argument) in arguments.enumerated() {
      if index > 0, argument.kind != .json { data.append(UInt8(ascii: "&")) }
      switch argument.kind {
      case .text: data += try read(argument.text, keepsLineEnds: false)
      case .raw: data += Data(argument.text.utf8)
      case .binary, .json: data += try read(argument.text, keepsLineEnds: true)
      case .percentEncoded: data += Data(try encoded(argument.text).utf8)
      }
    }
    return data
  }

  /// Encodes a value of `--data-urlencode`: "content", "=content", "name=content", "@file", "name@file". The name isn't encoded.
  static func encoded(_ argument: String) throws(ToolFailure) -> String {
    // As in curl, an equals sign counts before an at sign, wherever they are: a name may have one, and the name of a file has no equals sign.
    guard let sign = argument.firstIndex(of: "=") ?? argument.firstIndex(of: "@") else { return PercentEncoding.form(argument.utf8) }
    let name = argument[..<sign]
    let rest = String(argument[argument.index(after: sign)...])
    let content = argument[sign] == "@" ? try contents(rest) : Data(rest.utf8)
    return (name.isEmpty ? "" : "\(name)=") + PercentEncoding.form(content)
  }

  private static func form(_ arguments: [FormArgument]) throws(ToolFailure) -> URLSessionMultipartFormData {
    var form = URLSessionMultipartFormData()
    for part in arguments {
      switch part.content {
      case .text(let text): form.append(Data(text.utf8), name: part.name, filename: part.filename, contentType: part.type)
      case .textFile(let path):
        form.append(try contents(path), name: part.name, filename: part.filename, contentType: part.type)
      case .file(let path):
        let filename = part.filename ?? (path == "-" ? "-" : URL(filePath: path).lastPathComponent)
        let type = part.type ?? FormArgument.type(ofFile: filename)
        // A file that isn't regular has been read by this call already, because a pipe can't be read again.
        switch try streamed(path) {
        case .data(let data): form.append(data, name: part.name, filename: filename, contentType: type)
        case .file:
          do {
            try form.append(file: URL(filePath: path), name: part.name, filename: filename, contentType: type)
          } catch {
            throw unreadable(path, EIO)
          }
        case .none, .standardInput, .form:
          form.append(try contents(path), name: part.name, filename: filename, contentType: type)
        }
      }
    }
    return form
  }

  /// Length in bytes; nil if unknown.
  var length: Int64? {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file(_, let size): size
    case .standardInput: nil
    case .form(let form): form.contentLength
    }
  }

  /// Files without disk blocks up to this size, in bytes, are read to find their real length. Larger ones are sparse files.
  private static let madeUpSize = 256 * 1024

  private static func streamed(_ path: String) throws(ToolFailure) -> SentContent {
    if path == "-" { return .standardInput }
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw unreadable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .data(try contents(path)) }
    // Files in /proc and /sys have no disk blocks, and a size of 0 or of a page, whatever their content is.
    if status.st_blocks == 0, status.st_size <= madeUpSize {
      let content = try contents(path)
      if content.count != Int(status.st_size) { return .data(content) }
    }
    return .file(path: path, size: Int64(status.st_size))
  }

  private static func read(_ argument: String, keepsLineEnds: Bool) throws(ToolFailure) -> Data {
    guard argument.hasPrefix("@") else { return Data(argument.utf8) }
    let data = try contents(String(argument.dropFirst()))
    return keepsLineEnds ? data : data.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") && $0 != 0 }
  }

  private static func contents(_ path: String) throws(ToolFailure) -> Data {
    do throws(Descriptor.Failure) {
      return try path == "-" ? NamedContent.load(STDIN_FILENO) : NamedContent.load(path)
    } catch {
      throw unreadable(path, error.code)
    }
  }

  static func unreadable(_ path: String, _ code: Int32) -> ToolFailure {
    let name = path == "-" ? "standard input" : path
    return ToolFailure(.readFailed, "\(name) can't be read to be sent (\(SystemMessage.text(code))); check its name")
  }
}
