#if Inspector
  extension URLSessionInspector {
    /// What a recorder keeps.
    public struct Options: Sendable {
      /// Transfers that are kept: the newest. Default: 1000.
      public var maximumTransfers = 1000
      /// Whether bodies and messages of WebSockets are kept. Without them a recorder is cheap enough for production. Default: true.
      public var recordsBodies = true
      /// Bytes that are kept of one body: its beginning. Default: 1 MiB.
      public var maximumBodyBytes = 1 << 20
      /// Bytes in memory of all bodies together, and of all heads and messages together. The oldest make room. Default: 32 MiB.
      public var maximumMemory = 32 << 20
      /// Bytes over which a body is moved into a file: of a folder that is the user's alone, and removed at the end. Default: 64 KiB.
      public var spillThreshold = 64 << 10
      /// Bytes of all such files; more stays in memory, where there is room. 0 keeps bodies out of files. Default: 256 MiB.
      public var maximumDisk = 256 << 20
      /// The fraction of tasks that is recorded: 0.01 is every hundredth. Default: 1.
      public var sampling = 1.0
      /// What is taken out before anything is stored.
      public var redaction = Redaction()

      /// The defaults.
      public init() {}

      /// Heads, timing and errors without bodies: for programs in production, with a `sampling`.
      public static var headsOnly: Options {
        var options = Options()
        options.recordsBodies = false
        return options
      }
    }
  }
#endif
