import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat

/// A task that reads and writes a TCP connection, with or without TLS: made by `URLSession.streamTask(withHostName:port:)`, or from a data
/// task's response by answering `.becomeStream`.
///
/// The connection is opened by `resume()`, through the session's proxies as for an https URL. Reads and writes may be asked for before, and
/// are done in the order of the calls: reads among themselves, writes among themselves, so that a read which waits doesn't hold up a write.
/// The peer is made to wait once 256 KiB are unread.
///
/// The task ends without an error when both sides have been closed and everything has been read; with an error when the connection breaks,
/// which fails everything that waits as well. A peer that has only closed its own side can still be written to. `timeoutIntervalForRequest`
/// bounds the opening of the connection only; `timeoutIntervalForResource` the whole task.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {
  // @unchecked: everything stored is immutable; the stream session is confined to its event loop, on which `run` makes each call.
  // Subclasses answer for what they add.
  let stream: StreamSession?
  /// Where the task's completion handlers run; shared with its load.
  let pump: DelegatePump?
  /// Whether the task was made with a host name and port; false if it began as a data task.
  private let hasAddress: Bool

  /// - Parameter pump: The pump of the load that the task takes over; nil for a task with an address, which gets the session's or a new one.
  init(session: URLSession, identifier: Int, request: LoadRequest?, pump: DelegatePump?) {
    stream = StreamSession(executor: session.engine.executor)
    self.pump = pump ?? (session.pump.isSerial ? session.pump : DelegatePump(session.pump.queue, of: session.engine.executor))
    hasAddress = request == nil
    super.init(session: session, identifier: identifier, request: request, delivery: .delegate)
  }

  /// A task without a session, which can do nothing. Sessions make tasks.
  @available(*, deprecated, message: "Tasks are made by a URLSession.")
  public override init() {
    (stream, pump, hasAddress) = (nil, nil, true)
    super.init()
  }

  /// The request of the data task that the stream began as; nil if it was made with a host name and port.
  open override var currentRequest: URLRequest? { hasAddress ? nil : super.currentRequest }

  // MARK: Reading and writing

  /// Reads between `minBytes` and `maxBytes` bytes; fewer only at the end.
  ///
  /// - Parameters:
  ///   - minBytes: Bytes that must have come before the read completes; less than 1 counts as 1. A read that waits for more than 1 GiB
  ///     fails with `URLError.dataLengthExceedsMaximum` once so much has come, and leaves it for others.
  ///   - maxBytes: Bytes that are handed over at most; less than 1 fails with `EINVAL`.
  ///   - timeout: Seconds, from when the connection is there, after which the read fails with `URLError.timedOut`; 0 for any time. What has
  ///     come meanwhile is left for the next read: the task continues.
  ///   - completionHandler: Called once, on the delegate queue: with the bytes and whether they are the last, or with nil and an error.
  ///     After the last bytes, reads fail with `ENOTCONN` (`NSPOSIXErrorDomain`).
  @preconcurrency
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
    completionHandler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
  ) {
    let read = StreamRead(atLeast: minBytes, atMost: maxBytes, timeout: timeout) { [self] result in
      pump?.post { [self] in
        switch result {
        case .success(let piece): completionHandler(Data(received: piece.bytes), piece.isLast, nil)
        case .failure(let error): completionHandler(nil, false, publicError(error))
        }
      }
    }
    stream.run {
      $0.read(read)
    } orElse: {
      completionHandler(nil, false, $0)
    }
  }

  /// Reads between `minBytes` and `maxBytes` bytes; fewer only at the end, which the second part of the result tells.
  ///
  /// Cancelling the Swift task that waits throws `CancellationError`; the stream continues, and no byte is lost. Otherwise as the form with
  /// a completion handler.
  /// - Throws: `URLError`; in `NSPOSIXErrorDomain`, `ENOTCONN` after the end, and `EINVAL` for a `maxBytes` below 1.
  open func readData(ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval) async throws -> (Data?, Bool) {
    let answer = AsyncAnswer<StreamPiece>(executor: stream?.executor)
    let read = StreamRead(atLeast: minBytes, atMost: maxBytes, timeout: timeout) { answer.give($0) }
    let result = await withTaskCancellationHandler {
      await answer.wait {
        stream.run {
          $0.read(read)
        } orElse: { _ in
          answer.give(.failure(.noSession))
        }
      }
    } onCancel: {
      stream.run { $0.withdraw(read) }
    }
    if case .failure = result { try Task.checkCancellation() }
    do {
      let piece = try result.get()
      return (Data(received: piece.bytes), piece.isLast)
    } catch {
      throw publicError(error)
    }
  }

  /// Writes all of `data`.
  ///
  /// - Parameters:
  ///   - timeout: Seconds, from when the connection is there, after which the write fails with `URLError.timedOut`; 0 for any time. If
  ///     nothing of it has been sent by then, nothing will be; what has been begun is sent to its end all the same. The task continues.
  ///   - completionHandler: Called once, on the delegate queue: with nil when the system has taken all bytes, which doesn't mean that the
  ///     peer has them. Where the peer reads slowly, that takes its time: wait for it before writing more.
  @preconcurrency
  open func write(_ data: Data, timeout: TimeInterval, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    let write = StreamWrite(data, timeout: timeout) { [self] error in
      pump?.post { [self] in completionHandler(error.map { publicError($0) }) }
    }
    stream.run {
      $0.write(write)
    } orElse: {
      completionHandler($0)
    }
  }

  /// Writes all of `data`; returns when the system has taken it, which doesn't mean that the peer has it.
  ///
  /// Cancelling the Swift task that waits throws `CancellationError`; what has been begun is sent to its end all the same. Otherwise as the
  /// form with a completion handler.
  /// - Throws: `URLError`; in `NSPOSIXErrorDomain`, `ENOTCONN` once writing has been closed.
  open func write(_ data: Data, timeout: TimeInterval) async throws {
    let answer = AsyncAnswer<Void>(executor: stream?.executor)
    let write = StreamWrite(data, timeout: timeout) { answer.give($0.map { .failure($0) } ?? .success(())) }
    let result = await withTaskCancellationHandler {
      await answer.wait {
        stream.run {
          $0.write(write)
        } orElse: { _ in
          answer.give(.failure(.noSession))
        }
      }
    } onCancel: {
      stream.run { $0.withdraw(write) }
    }
    guard case .failure(let error) = result else { return }
    try Task.checkCancellation()
    throw publicError(error)
  }

  // MARK: Closing, TLS, streams

  /// Does all reads and writes asked for before, then ends the task and gives the connection to the delegate as a pair of unopened streams:
  /// `urlSession(_:streamTask:didBecome:outputStream:)` is the task's last message, and no completion follows.
  ///
  /// Bytes that have come and weren't read are the input stream's first. The streams outlive the session. They are closed by `close()`,
  /// or when they are released.
  open func captureStreams() {
    stream.run { $0.captureStreams() }
  }

  /// Ends the writing side after the writes asked for before: the peer sees the end of what it reads, and can continue to write.
  ///
  /// It doesn't wait for reads: a peer may answer nothing before it has seen the end. Later writes fail with `ENOTCONN`.
  open func closeWrite() {
    stream.run { $0.closeWrite() }
  }

  /// Ends the reading side after the reads asked for before: what comes later is dropped, and later reads fail with `ENOTCONN`. Writing
  /// continues.
  open func closeRead() {
    stream.run { $0.closeRead() }
  }

  /// Begins TLS once all reads and writes asked for before are done; later ones go over it.
  ///
  /// The server is evaluated as that of an https URL with the task's host name, client certificates included, by the task-level method
  /// `urlSession(_:task:didReceive:)`. A failure ends the task; and so does a server that has sent more than was read before, for bytes in
  /// the clear must not be taken for what was sent under TLS. Where a side has been closed, the task ends with `secureConnectionFailed`:
  /// what is asked for later must not go out in the clear. No effect where TLS has been begun, and on a
  /// response's body that has no connection of its own.
  open func startSecureConnection() {
    stream.run { $0.startSecureConnection() }
  }

  /// Does nothing: TLS can't be taken off a connection safely.
  @available(*, deprecated, message: "TLS cannot be disabled once it is enabled.")
  open func stopSecureConnection() {}

  // MARK: The session

  /// Connects the task with its load, before the load starts: reads and writes asked for so far are done once it has a connection.
  func begin(_ context: LoadContext, _ load: TaskLoad) {
    stream.run { $0.begin(context, load) }
  }

  private func publicError(_ error: LoadError) -> any Error {
    error.urlError(failingURL: fields.withLock { $0.currentRequest }?.url)
  }
}

extension LoadError {
  /// The error of a task that no session made: `ENOTCONN`.
  fileprivate static var noSession: LoadError { LoadError(foreign: POSIXError(.ENOTCONN)) }
}
