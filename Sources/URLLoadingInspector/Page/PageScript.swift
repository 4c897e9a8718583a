#if Inspector
  /// The page's script, in parts. What is recorded gets into the page by `textContent` alone; the policy forbids markup made of strings.
  enum PageScript {
    static let text = ["\"use strict\";", base, list, details, messages, bodies, connections, start].joined(separator: "\n")
  }
#endif
