#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingSystem

  /// The recording that another program of the user's asks for (`urlload inspect PID`): there as long as that program keeps its connection.
  enum InspectorLease {
    private struct Leases {
      var count = 0
      /// The recorder that was made for them; nil where the process records itself anyway.
      var own: URLSessionInspector?
    }

    private static let leases = Mutex(Leases())

    /// Answers with the page's address, and waits on a thread of its own until the other side closes the connection.
    static func begin(_ connection: Int32) {
      let inspector = enter()
      do {
        let server = try PageServer(inspector, port: 0, token: nil, title: ProcessTitle.text)
        HeldDoor.writeAll(HeldDoor.Inspection(url: server.url.absoluteString).line, to: connection)
        let thread = Thread {
          wait(for: connection)
          server.stop()
          leave()
        }
        thread.name = "inspector"
        thread.start()
      } catch {
        HeldDoor.writeAll(HeldDoor.Inspection(refusal: "its page can't be served: \(error)").line, to: connection)
        close(connection)
        leave()
      }
    }

    private static func enter() -> URLSessionInspector {
      leases.withLock { leases in
        leases.count += 1
        if let present = TransferRecorders.ofProcess as? URLSessionInspector { return present }
        let made = URLSessionInspector.recordAll()
        leases.own = made
        return made
      }
    }

    private static func leave() {
      leases.withLock { leases in
        leases.count -= 1
        guard leases.count == 0, let own = leases.own.take() else { return }
        // Unless the app has begun to record meanwhile.
        if TransferRecorders.ofProcess as? URLSessionInspector === own { URLSessionInspector.stopRecordingAll() }
      }
    }

    private static func wait(for connection: Int32) {
      var buffer = [UInt8](repeating: 0, count: 64)
      while true {
        guard HeldDoor.isReady(connection, POLLIN, milliseconds: -1) else {
          guard errno == EINTR else { break }
          continue
        }
        let count = read(connection, &buffer, buffer.count)
        if count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)) { continue }
        break
      }
      close(connection)
    }
  }

  /// Called by URLLoadingSystem where the process is asked to show its transfers (`uls_inspect_for`).
  @_cdecl("url_loading_inspect_for") package func beginInspection(for connection: CInt) { InspectorLease.begin(connection) }
#endif
