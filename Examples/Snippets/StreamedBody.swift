import Foundation
import URLLoadingSystem

/// Sends text whose lines are made while it is sent, and returns the status of the answer.
public func upload(lines count: Int, to url: URL) async throws -> Int? {
  var input: InputStream?
  var output: OutputStream?
  Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &input, outputStream: &output)
  // What the thread below alone uses.
  nonisolated(unsafe) let sink = output

  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  request.httpBodyStream = input
  // A write waits while the server doesn't read: a thread of its own is the place for it.
  Thread.detachNewThread {
    sink?.open()
    for number in 0..<count {
      guard let sink, sink.writeAll(Array("line \(number)\n".utf8)) else { break }
    }
    sink?.close()
  }
  let (_, response) = try await URLSession.shared.data(for: request)
  return (response as? HTTPURLResponse)?.statusCode
}

extension OutputStream {
  /// Writes all of it; false if the other end takes no more: the load has ended, and its caller gets the reason.
  fileprivate func writeAll(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBufferPointer { piece in piece.baseAddress.map { write($0, maxLength: piece.count) } ?? 0 }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
