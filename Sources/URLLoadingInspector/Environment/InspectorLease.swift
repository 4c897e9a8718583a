#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingSystem

  /// The recordings that other programs of the user request (`urlload inspect PID`). Each one lasts as long as the program keeps its connection open.
  enum InspectorLease {
    private struct Leases {
      var count = 0
      /// The process-wide recorder that the first lease has created; nil if the process already had one, which the leases then share.
      var own: URLSessionInspector?
    }

    private static let leases = Mutex(Leases())

    /// Answers with the address of a new page server, then waits on a thread of its own until the other program closes the connection.
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
        // Recording isn't stopped if the app has called `recordAll` in the meantime, whose recorder has replaced this one.
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

  /// Called by URLLoadingSystem, through `uls_inspect_for`, when another program asks this process to show its transfers.
  @_cdecl("url_loading_inspect_for") package func beginInspection(for connection: CInt) { InspectorLease.begin(connection) }
#endif
