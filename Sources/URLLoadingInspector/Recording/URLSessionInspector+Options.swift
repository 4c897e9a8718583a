#if Inspector
  extension URLSessionInspector {
    /// What a recorder records and how much it keeps.
    public struct Options: Sendable {
      /// The most transfers that are kept; the oldest are removed first. Default: 1000.
      public var maximumTransfers = 1000
      /// Whether bodies and WebSocket messages are recorded. Without them a recorder is cheap enough for production. Default: true.
      public var recordsBodies = true
      /// The most bytes of one body that are recorded; longer bodies are cut. Default: 1 MiB.
      public var maximumBodyBytes = 1 << 20
      /// The most bytes in memory, once for all bodies together, and once for all heads and messages together. The oldest are removed first. Default:
      /// 32 MiB.
      public var maximumMemory = 32 << 20
      /// The size in bytes above which a body is moved into a file. The file is in a folder that only the user can read, and is removed with the
      /// recording. Default: 64 KiB.
      public var spillThreshold = 64 << 10
      /// The most bytes of all these files; further bodies stay in memory if there is room. 0 writes no files. Default: 256 MiB.
      public var maximumDisk = 256 << 20
      /// The fraction of loads that are recorded: 0.01 records every hundredth. Default: 1.
      public var sampling = 1.0
      /// The secrets that are removed before anything is stored.
      public var redaction = Redaction()

      /// The default options.
      public init() {}

      /// Records heads, timing and errors, but no bodies: for programs in production, together with a `sampling`.
      public static var headsOnly: Options {
        var options = Options()
        options.recordsBodies = false
        return options
      }
    }
  }
#endif
