#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingInspector

  /// A web page that shows a recording, served by this process.
  struct InspectorPage {
    private static let transferLimit = 100_000

    let url: URL
    private let server: PageServer

    init(_ transfers: [RecordedTransfer], port: Int, token: String?, title: String) throws(ToolFailure) {
      var options = URLSessionInspector.Options()
      options.maximumTransfers = InspectorPage.transferLimit
      options.maximumMemory = 1 << 30
      let inspector = URLSessionInspector(options)
      inspector.add(transfers)
      // Reading the archive has left much free memory in the heap, which is given back to the system.
      InspectorPage.giveBackFreeMemory()
      do {
        server = try PageServer(inspector, port: port, token: token, title: title)
      } catch {
        throw ToolFailure(.other, "port \(port) can't be used: another program may have it; leave --port out for any that is free")
      }
      url = server.url
    }

    /// Opens the page in the desktop's browser; does nothing without a desktop.
    func open() { InspectorPage.open(url) }

    static func open(_ url: URL) {
      let environment = ProcessEnvironment.variables
      guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
      let opener = Process()
      opener.executableURL = URL(filePath: "/usr/bin/env")
      opener.arguments = ["xdg-open", url.absoluteString]
      opener.standardOutput = FileHandle.nullDevice
      opener.standardError = FileHandle.nullDevice
      try? opener.run()
    }

    /// Calls glibc's malloc_trim, which Swift's Glibc module doesn't declare; does nothing with another C library.
    private static func giveBackFreeMemory() {
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
    }
  }
#endif
