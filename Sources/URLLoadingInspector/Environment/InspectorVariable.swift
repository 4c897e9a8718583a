#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingSystem

  /// The environment variable `URL_LOADING_INSPECT`: a port to serve the page on, a file to write HAR to when the process ends, or both, separated by
  /// a comma. `URL_LOADING_INSPECT_TOKEN` sets the page's token, if the program that starts this process has to know it.
  struct InspectorVariable: Equatable {
    static let tokenName = "URL_LOADING_INSPECT_TOKEN"

    /// The port to serve the page on; 0 for any free port, nil to serve no page.
    var port: Int?
    var file: String?

    init(_ value: String) {
      for part in value.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) where !part.isEmpty {
        if let number = Int(part), (0...65535).contains(number) { port = number } else { file = part }
      }
    }

    /// Starts recording the process, and serves the page or registers the file, as the variable says.
    func begin() {
      guard port != nil || file != nil else { return }
      let inspector = URLSessionInspector.recordAll()
      if let file { InspectorExit.write(inspector, to: file) }
      guard let port else { return }
      do {
        let url = try inspector.servePage(port: port, token: ProcessEnvironment.value(InspectorVariable.tokenName))
        InspectorVariable.tell("inspector: \(url.absoluteString)")
      } catch {
        InspectorVariable.tell("inspector: port \(port) can't be used (\(error)); another program may have it")
      }
    }

    static func tell(_ text: String) {
      try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
  }

  /// Writes a recording to a HAR file in a handler of atexit(3).
  enum InspectorExit {
    private static let pending = Mutex<(inspector: URLSessionInspector, file: String)?>(nil)
    private static let handler: Void = {
      atexit {
        guard let (inspector, file) = InspectorExit.pending.withLock({ $0.take() }) else { return }
        do {
          try inspector.writeHAR(to: URL(filePath: file))
        } catch {
          InspectorVariable.tell("inspector: \(file) can't be written: \(error.localizedDescription)")
        }
      }
    }()

    static func write(_ inspector: URLSessionInspector, to file: String) {
      // Makes the path absolute now, because the program may change its working directory before it ends.
      let path = URL(filePath: file).path
      pending.withLock { $0 = (inspector, path) }
      handler
    }
  }

  /// Called by URLLoadingSystem, through `uls_inspect`, before the process's first session is created, if the variable is set.
  @_cdecl("url_loading_inspect") package func beginInspection(_ value: UnsafePointer<CChar>) {
    InspectorVariable(String(cString: value)).begin()
  }
#endif
