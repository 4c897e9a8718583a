import Foundation
import URLLoadingSystem

/// Sends a line to a mail server, over TLS if it offers that, and returns its answer.
public func answer(to command: String, from host: String, port: Int, session: URLSession = .shared) async throws -> String {
  let task = session.streamTask(withHostName: host, port: port)
  task.resume()
  defer { task.cancel() }
  _ = try await line(from: task)
  try await task.write(Data("STARTTLS\r\n".utf8), timeout: 10)
  if try await line(from: task).hasPrefix("220") { task.startSecureConnection() }
  try await task.write(Data("\(command)\r\n".utf8), timeout: 10)
  return try await line(from: task)
}

/// Everything that a server sends after `question` and the end of the client's side.
public func reply(to question: Data, from host: String, port: Int) async throws -> Data {
  let task = URLSession.shared.streamTask(withHostName: host, port: port)
  task.resume()
  try await task.write(question, timeout: 10)
  task.closeWrite()
  var reply = Data()
  while true {
    let (data, isAtEnd) = try await task.readData(ofMinLength: 1, maxLength: 65536, timeout: 10)
    reply += data ?? Data()
    if isAtEnd { return reply }
  }
}

/// One line, byte by byte: what comes behind it is left for the next read.
private func line(from task: URLSessionStreamTask) async throws -> String {
  var line = Data()
  while line.last != UInt8(ascii: "\n") {
    let (byte, isAtEnd) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10)
    line += byte ?? Data()
    if isAtEnd { break }
  }
  return String(decoding: line, as: UTF8.self)
}
