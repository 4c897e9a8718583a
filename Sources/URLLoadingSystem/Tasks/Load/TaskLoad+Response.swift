import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

// Delivers a response and its body to the app: asks the delegate what to do with the response, and passes each piece of the body on.

extension TaskLoad {
  func didReceive(response loaded: LoadResponse) -> Bool {
    assertConfined()
    // A load without a response (a custom protocol's) isn't reported; a download still needs its empty file.
    if loaded.isAbsent { return file != nil }
    let response = URLResponse.make(loaded)
    self.response = response
    context.observer?.received(context.record, loaded)
    task.count { fields in
      fields.response = response
      fields.expectedToReceive = loaded.expectedLength
    }
    switch delivery {
    case .bytes(let chunks): chunks.deliver(response)
    case .delegate: return file != nil || chain.mayImplement(.didReceiveResponse)
    case .file, .fileContinuation: return true
    case .completion, .awaited, .continuation: break
    }
    return false
  }

  nonisolated(nonsending) func askDisposition() async throws(LoadError) -> LoadDisposition {
    assertConfined()
    if let file {
      try await file.open()
      return .receiveBody
    }
    guard let response, let dataTask = task as? URLSessionDataTask else { return .receiveBody }
    switch try await disposition(of: response, to: dataTask) {
    case .allow: return .receiveBody
    case .cancel: throw .cancelled()
    case .becomeDownload:
      try await becomeDownload(dataTask)
      return .receiveBody
    case .becomeStream: return try await becomeStream(dataTask)
    }
  }

  nonisolated(nonsending) private func disposition(
    of response: URLResponse, to dataTask: URLSessionDataTask
  ) async throws(LoadError) -> URLSession.ResponseDisposition {
    let (chain, session) = (chain, session)
    return try await AppWait<URLSession.ResponseDisposition>.ask(context) { wait in
      pump.post { chain.didReceiveResponse(session, dataTask, response, then: wait.answer) }
    }
  }

  nonisolated(nonsending) func didReceive(body: ByteBuffer) async throws(LoadError) {
    assertConfined()
    let count = body.readableBytes
    if let file { return try await file.write(body) }
    task.count { $0.received += Int64(count) }
    switch delivery {
    case .delegate: try await deliver(body)
    case .bytes(let chunks):
      guard !chunks.deliver(Data(received: body)) else { return }
      try await AppWait<Void>.ask(context) { chunks.waitForRoom($0) }
    case .completion, .awaited, .continuation, .file, .fileContinuation: break
    }
  }

  nonisolated(nonsending) private func deliver(_ body: ByteBuffer) async throws(LoadError) {
    guard chain.mayImplement(.didReceiveData), task is URLSessionDataTask else { return }
    let isFull = window.add(Data(received: body))
    // A closure that captures a single reference is stored without an allocation.
    pump.post { self.deliverPiece() }
    if isFull { try await AppWait<Void>.ask(context) { window.waitForRoom($0) } }
  }

  /// Gives the delegate the next piece. A data task whose body is delivered stays the load's task.
  private func deliverPiece() {
    guard let piece = window.next(), let dataTask = task as? URLSessionDataTask else { return }
    chain.didReceiveData(session, dataTask, piece)
    window.delivered(piece.count)
  }

  func didCollect(bytes: Int) {
    assertConfined()
    task.count { $0.received += Int64(bytes) }
  }
}

/// Delivers the parts of a multipart/x-mixed-replace body to a data task's delegate: each part replaces the one before, as Apple documents.
extension TaskLoad: PartReceiving {
  /// Whether the delegate gets each part as a response of its own. It has been told of the whole response, and may have made it a download then.
  var separatesParts: Bool {
    guard case .delegate = delivery, file == nil, task is URLSessionDataTask else { return false }
    return task.fields.withLock { !$0.keepsBodyWhole }
  }

  nonisolated(nonsending) func didReceive(part loaded: LoadResponse) async throws(LoadError) {
    assertConfined()
    let response = URLResponse.make(loaded)
    self.response = response
    // The expected length stays that of the whole body.
    task.change { $0.response = response }
    guard chain.mayImplement(.didReceiveResponse), let dataTask = task as? URLSessionDataTask else { return }
    switch try await disposition(of: response, to: dataTask) {
    case .allow: return
    case .cancel: throw .cancelled()
    case .becomeDownload, .becomeStream:
      throw LoadError(
        .unsupportedURL, .delivery, "a part of a body can't become a download or a stream: answer so to the response of the whole")
    }
  }
}

extension URLSessionTask {
  /// Makes the task deliver a multipart/x-mixed-replace body unparsed, under one response. To be called before `resume()`.
  package final func keepBodyWhole() { fields.withLock { $0.keepsBodyWhole = true } }
}
