import Foundation

/// What is sent with a request.
enum SentContent: Sendable, Equatable {
  case none
  case data(Data)
  /// A file that is read while it is sent.
  case file(path: String, size: Int64)
  /// Standard input, read while it is sent.
  case standardInput

  /// Reads what the options name.
  /// - Throws: If a file can't be read.
  init(_ options: RequestOptions) throws(ToolFailure) {
    if let file = options.uploadFile {
      self = try SentContent.streamed(file)
      return
    }
    if options.data.isEmpty, options.dataBinary.count + options.json.count == 1, let only = (options.dataBinary + options.json).first,
      only.hasPrefix("@")
    {
      self = try SentContent.streamed(String(only.dropFirst()))
      return
    }
    var parts: [Data] = []
    for argument in options.data { parts.append(try SentContent.read(argument, keepsLineEnds: false)) }
    for argument in options.dataBinary + options.json { parts.append(try SentContent.read(argument, keepsLineEnds: true)) }
    guard !parts.isEmpty else {
      self = .none
      return
    }
    self = .data(Data(parts.joined(separator: options.json.isEmpty ? Data("&".utf8) : Data())))
  }

  /// Bytes; nil if unknown.
  var length: Int64? {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file(_, let size): size
    case .standardInput: nil
    }
  }

  private static func streamed(_ path: String) throws(ToolFailure) -> SentContent {
    if path == "-" { return .standardInput }
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw unreadable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .data(try contents(path)) }
    return .file(path: path, size: Int64(status.st_size))
  }

  private static func read(_ argument: String, keepsLineEnds: Bool) throws(ToolFailure) -> Data {
    guard argument.hasPrefix("@") else { return Data(argument.utf8) }
    let data = try contents(String(argument.dropFirst()))
    return keepsLineEnds ? data : data.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
  }

  private static func contents(_ path: String) throws(ToolFailure) -> Data {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { if path != "-" { close(descriptor) } }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count > 0 { data.append(contentsOf: buffer[..<count]) }
      if count == 0 { return data }
      if count < 0, errno != EINTR { throw unreadable(path, errno) }
    }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> ToolFailure {
    let name = path == "-" ? "standard input" : path
    return ToolFailure(.readFailed, "\(name) can't be read to be sent (\(SystemMessage.text(code))); check its name")
  }
}
