/// Whether a failure may be over by itself.
enum Transience: Sendable, Equatable {
  case lasting
  /// Asking again may help; the server may say after how many seconds.
  case passing(retryAfter: Double? = nil)
}
