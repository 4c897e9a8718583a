import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

// A response and its body on their way to the app: what it decides about the response, and to whom each piece goes.

extension TaskLoad {
  func didReceive(response loaded: LoadResponse) -> Bool {
    assertConfined()
    // The app isn't told; a download's file is made all the same.
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
    let (chain, session) = (chain, session)
    let disposition = try await AppWait<URLSession.ResponseDisposition>.ask(context) { wait in
      pump.post { chain.didReceiveResponse(session, dataTask, response, then: wait.answer) }
    }
    switch disposition {
    case .allow: return .receiveBody
    case .cancel: throw .cancelled()
    case .becomeDownload:
      try await becomeDownload(dataTask)
      return .receiveBody
    case .becomeStream: return try await becomeStream(dataTask)
    }
  }

  nonisolated(nonsending) func didReceive(body: ByteBuffer) async throws(LoadError) {
    assertConfined()
    let count = body.readableBytes
    if let file { return try await file.write(body) }
    task.count { $0.received += Int64(count) }
    switch delivery {
    case .delegate: try await deliver(body, count)
    case .bytes(let chunks):
      guard !chunks.deliver(Data(received: body)) else { return }
      try await AppWait<Void>.ask(context) { chunks.waitForRoom($0) }
    case .completion, .awaited, .continuation, .file, .fileContinuation: break
    }
  }

  nonisolated(nonsending) private func deliver(_ body: ByteBuffer, _ count: Int) async throws(LoadError) {
    guard chain.mayImplement(.didReceiveData), let dataTask = task as? URLSessionDataTask else { return }
    let data = Data(received: body)
    let isFull = window.add(count)
    pump.post { [self] in
      chain.didReceiveData(session, dataTask, data)
      window.delivered(count)
    }
    if isFull { try await AppWait<Void>.ask(context) { window.waitForRoom($0) } }
  }

  func didCollect(bytes: Int) {
    assertConfined()
    task.count { $0.received += Int64(bytes) }
  }
}
