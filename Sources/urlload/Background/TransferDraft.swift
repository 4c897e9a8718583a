import BackgroundTransfers
import Foundation
import LoadingModel
import URLLoadingSystem

/// A transfer made from the command line, before it is handed to the daemon.
struct TransferDraft {
  /// The options of the command line that apply to all its URLs.
  struct Options {
    var output: String?
    var uploadFile: String?
    var fields: [HeaderArgument] = []
    var method: String?
    var description: String?
    var earliestBegin: Date?
  }

  /// The destination for content that isn't wanted: the daemon drops it.
  static let nowhere = "/dev/null"

  let order: TransferOrder

  /// The transfers for these URLs.
  /// - Throws: If one of the URLs, a destination or the file to upload can't be used; then no transfer is added at all.
  static func drafts(_ urls: [String], _ options: Options) throws(ToolFailure) -> [TransferDraft] {
    let content = try content(options.uploadFile)
    var destinations: Set<String> = []
    var drafts: [TransferDraft] = []
    for url in urls {
      let draft = try TransferDraft(url, options, content)
      if let destination = draft.order.destination, destination != nowhere, !destinations.insert(destination).inserted {
        throw ToolFailure(.writeFailed, "two of the URLs would be stored as \(destination); add one of them with -o")
      }
      drafts.append(draft)
    }
    return drafts
  }

  private init(_ text: String, _ options: Options, _ content: SentContent) throws(ToolFailure) {
    var values = RequestOptionValues()
    values.method = options.method
    values.fields = options.fields
    values.sends = options.uploadFile == nil ? .form : .upload
    values.uploadName = options.uploadFile.map { URL(filePath: $0).lastPathComponent }
    let request = try RequestPlan(options: values, content: content).request(for: text)
    guard let scheme = request.url?.scheme?.lowercased(), ["http", "https"].contains(scheme), request.url?.host()?.isEmpty == false else {
      throw ToolFailure(.malformedURL, "\"\(Masking.url(text))\" can't be loaded in the background: http and https URLs can")
    }
    var order = try TransferDraft.order(request, options.uploadFile)
    order.description = options.description
    order.earliestBegin = options.earliestBegin
    order.destination = try TransferDraft.destination(request, options)
    order.permissions = 0o666 & ~UInt16(truncatingIfNeeded: FileCreationMask.ofProcess)
    self.order = order
  }

  /// The order without its task identifier, which is chosen when the tool has attached its session.
  private static func order(_ request: URLRequest, _ uploadFile: String?) throws(ToolFailure) -> TransferOrder {
    let file = uploadFile.map { URL(filePath: absolute($0), directoryHint: .notDirectory) }
    do throws(LoadError) {
      return try TransferOrder(task: 0, request: request, file: file)
    } catch {
      throw ToolFailure(.readFailed, error.message)
    }
  }

  private static func content(_ uploadFile: String?) throws(ToolFailure) -> SentContent {
    guard let uploadFile else { return .none }
    let content = try SentContent(file: uploadFile)
    guard case .file = content else {
      throw ToolFailure(.readFailed, "\(uploadFile) isn't a regular file; a background transfer reads it later, and perhaps again")
    }
    return content
  }

  private static func destination(_ request: URLRequest, _ options: Options) throws(ToolFailure) -> String {
    if options.output == nil, options.uploadFile != nil { return nowhere }
    guard let name = options.output ?? RemoteName(of: request.url)?.name else {
      let url = Masking.url(request.url?.absoluteString ?? "")
      throw ToolFailure(.writeFailed, "\(url) has no file name; name the file with -o")
    }
    let path = absolute(name)
    if path == nowhere { return path }
    var status = stat()
    if name.hasSuffix("/") || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR { throw WriteFailure.failure(name, EISDIR) }
    if lstat(path, &status) == 0 {
      throw ToolFailure(
        .writeFailed, "\(name) exists, and background transfers replace no files; move it away, or choose another name with -o")
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    if access(folder, W_OK | X_OK) != 0 { throw WriteFailure.failure(name, errno) }
    return path
  }

  /// The path made absolute, because the daemon's current folder is another one.
  private static func absolute(_ path: String) -> String {
    let base = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    return URL(filePath: path, directoryHint: .notDirectory, relativeTo: base).standardizedFileURL.path(percentEncoded: false)
  }
}
