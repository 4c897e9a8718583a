import Foundation
import LoadingEngine

// What the session does with its tasks, and when the last one is gone.

extension URLSession {
  /// The last task has ended.
  func becomeInvalid() {
    let engine = engine
    engine.onLoop { engine.end() }
    pump.post { [self] in
      _ = messages?.didBecomeInvalid(self, nil)
      // The delegate's deinit is the app's code: it must not run under the lock.
      _ = changing.withLock { changing in
        let past = (changing.messages, changing.chain)
        changing.messages = nil
        changing.chain = DelegateChain()
        return past
      }
    }
  }

  var tasksByKind: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let all = registry.active
    let uploads = all.compactMap { $0 as? URLSessionUploadTask }
    let data = all.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
    return (data, uploads, all.compactMap { $0 as? URLSessionDownloadTask })
  }
}
