#if Inspector
  /// The page's script, assembled from its parts. Recorded texts are inserted only by `textContent`; the Content-Security-Policy forbids markup made
  /// of strings.
  enum PageScript {
    static let text = ["\"use strict\";", base, list, details, messages, bodies, connections, start].joined(separator: "\n")
  }
#endif
