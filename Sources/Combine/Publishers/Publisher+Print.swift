#if Combine
  import OpenCombine

  extension Publisher {
    /// Prints every event of this publisher, a line each, as Apple documents them, and passes it on.
    /// - Parameters:
    ///   - prefix: What lines begin with, before a colon; empty for neither.
    ///   - stream: Where lines are printed; nil for standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
      Publishers.Print(upstream: self, prefix: prefix, to: PrintedEvents(prefix: prefix, stream: stream))
    }
  }

  /// The lines of `print(_:to:)` without those that OpenCombine adds to Apple's: it also prints the demand that a subscriber doesn't make when it gets
  /// a value.
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
