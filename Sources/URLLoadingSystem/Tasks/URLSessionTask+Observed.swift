// What log lines, spans and recordings say of it.

extension URLSessionTask: ObservedTask {
  /// What kind of task it is, in one word.
  var kindName: String {
    switch self {
    case is URLSessionUploadTask: "upload"
    case is URLSessionDataTask: "data"
    case is URLSessionDownloadTask: "download"
    case is URLSessionWebSocketTask: "webSocket"
    case is URLSessionStreamTask: "stream"
    default: "task"
    }
  }
}
