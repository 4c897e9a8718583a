// What log lines, spans and recordings say of a task.

extension URLSessionTask: ObservedTask {
  /// The task's kind in one word, as log lines and spans name it: "data", "upload", …
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
