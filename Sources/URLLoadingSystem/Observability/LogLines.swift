#if Logging
  import Logging

  /// Writes lines to a session's swift-log `Logger`.
  struct LogLines: LineWriter {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func writes(_ level: LineLevel) -> Bool { logger.logLevel <= level.logLevel }

    func write(_ line: TaskLine) {
      var metadata = Logger.Metadata(minimumCapacity: line.facts.count)
      for (name, value) in line.facts { metadata[name] = .string(value) }
      logger.log(level: line.level.logLevel, "\(line.message)", metadata: metadata, source: "URLLoadingSystem")
    }
  }

  extension LineLevel {
    fileprivate var logLevel: Logger.Level {
      switch self {
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      }
    }
  }
#endif
