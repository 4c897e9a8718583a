#if HTTP3
  import CLoadingQUIC

  /// Owns one connection of the C layer, and the TLS connection in it.
  final class QUICHandle {
    let pointer: OpaquePointer

    /// - Parameter pointer: An `uls_h3`, which is freed with this object.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { uls_h3_free(pointer) }
  }
#endif
