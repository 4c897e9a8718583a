import Foundation
import LoadingModel
import ProtocolRules
import Stores
import Synchronization

/// A process that writes cookies into a store that others write as well, for tests of several processes.
///
///     StoreWriter FILE NAME COUNT [KILL]
///
/// Stores COUNT cookies called NAME-0, NAME-1 …, every second one as a response would, and prints each name once it is acknowledged. With
/// KILL, the process is killed (SIGKILL) once so many have been acknowledged, wherever it is by then.
@main struct StoreWriter {
  private static let acknowledged = Atomic<Int>(0)

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let count = Int(arguments[3]) else {
      FileHandle.standardError.write(Data("usage: StoreWriter FILE NAME COUNT [KILL]\n".utf8))
      exit(2)
    }
    if arguments.count > 4, let limit = Int(arguments[4]) { killSelf(after: limit) }
    let store = CookieStore(file: URL(filePath: arguments[1]))
    for index in 0..<count {
      let name = "\(arguments[2])-\(index)"
      // Few enough for each host's limit.
      let host = "host\(index % 20).test"
      if index.isMultiple(of: 2) { set(name, host, in: store) } else { receive(name, host, in: store) }
      FileHandle.standardOutput.write(Data((name + "\n").utf8))
      acknowledged.add(1, ordering: .relaxed)
    }
  }

  private static func set(_ name: String, _ host: String, in store: CookieStore) {
    let cookie = Cookie(name: name, value: name, domain: host, path: "/", expires: Date().addingTimeInterval(3600))
    store.write { jar, now in jar.set(cookie, now: now) }
  }

  private static func receive(_ name: String, _ host: String, in store: CookieStore) {
    guard let url = CookieURL(URL(string: "http://\(host)/")) else { return }
    let done = DispatchSemaphore(value: 0)
    store.receive(["\(name)=\(name); Max-Age=3600"], for: CookieRequest(url: url), acceptance: .always) { done.signal() }
    done.wait()
  }

  private static func killSelf(after limit: Int) {
    Thread.detachNewThread {
      while acknowledged.load(ordering: .relaxed) < limit { sched_yield() }
      kill(getpid(), SIGKILL)
    }
  }
}
