import Foundation
import os

/// Loads a feed as apps did before there was URLSession.
public final class LegacyFeed: NSObject, NSURLConnectionDataDelegate {
  private let state = OSAllocatedUnfairLock(initialState: Data())
  private let done = DispatchSemaphore(value: 0)
  private let queue = OperationQueue()

  public func load(_ request: URLRequest) -> Data {
    autoreleasepool {
      let connection = NSURLConnection(request: request, delegate: self, startImmediately: false)
      connection?.setDelegateQueue(queue)
      connection?.start()
      done.wait()
    }
    return state.withLock { $0 }
  }

  public static func loadNow(_ request: URLRequest) throws -> (Data, URLResponse?) {
    var response: URLResponse?
    let data = try NSURLConnection.sendSynchronousRequest(request, returning: &response)
    return (data, response)
  }

  public func connection(_ connection: NSURLConnection, didReceive data: Data) {
    state.withLock { $0.append(data) }
  }

  public func connection(_ connection: NSURLConnection, didFailWithError error: Error) {
    done.signal()
  }

  public func connectionDidFinishLoading(_ connection: NSURLConnection) {
    done.signal()
  }
}
