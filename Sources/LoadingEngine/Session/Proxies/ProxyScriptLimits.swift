/// What a proxy script (PAC) may use.
enum ProxyScriptLimits {
  /// Bytes of memory.
  static let memory = 32 * 1024 * 1024
  /// Milliseconds for reading the script, and for one answer.
  static let patience: Int32 = 5_000
  /// Longest answer in bytes.
  static let answer = 4096
  /// A script that dies so often in a row isn't started again for a while.
  static let deaths = 3
  static let rest = Duration.seconds(60)
}
