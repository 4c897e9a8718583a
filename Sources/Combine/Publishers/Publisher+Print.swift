#if Combine
  import OpenCombine

  extension Publisher {
    /// Prints every event of this publisher, one per line in the format that Apple documents, and passes it on.
    /// - Parameters:
    ///   - prefix: The text before each line, followed by a colon; with an empty prefix there is no colon.
    ///   - stream: The stream to print to; nil for standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
      Publishers.Print(upstream: self, prefix: prefix, to: PrintedEvents(prefix: prefix, stream: stream))
    }
  }

  /// Filters the lines of OpenCombine's `print`, which also prints the demand of 0 that a subscriber returns for a value. Apple's `print` doesn't.
  struct PrintedEvents: TextOutputStream {
    private var stream: (any TextOutputStream)?
    private let leftOut: String
    private var isInLeftOutLine = false

    init(prefix: String, stream: (any TextOutputStream)?) {
      self.stream = stream
      leftOut = (prefix.isEmpty ? "" : prefix + ": ") + "request max: (0) (synchronous)"
    }

    mutating func write(_ text: String) {
      if text == leftOut {
        isInLeftOutLine = true
      } else if isInLeftOutLine, text == "\n" {
        isInLeftOutLine = false
      } else if stream != nil {
        stream?.write(text)
      } else {
        Swift.print(text, terminator: "")
      }
    }
  }
#endif
