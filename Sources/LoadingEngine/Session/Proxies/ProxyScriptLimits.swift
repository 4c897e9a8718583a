/// Limits for a proxy script (PAC).
enum ProxyScriptLimits {
  /// The most bytes of memory that the script's process may use.
  static let memory = 32 * 1024 * 1024
  /// Milliseconds for loading the script, and for each answer.
  static let patience: Int32 = 5_000
  /// The most bytes of an answer.
  static let answer = 4096
  /// If the script's process dies this often in a row, it isn't started again for the time `rest`.
  static let deaths = 3
  static let rest = Duration.seconds(60)
}
