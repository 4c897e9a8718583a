import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// NIO opens sockets, and the epoll descriptors of its event loops, without close-on-exec. A program that the process starts would inherit them:
// connections closed here would stay open there, and the program could read and write them.

extension Channel {
  /// Closes the socket in programs that the process starts from now on. To be called in the channel's initializer, on the loop: a program that
  /// another thread starts between NIO's socket(2) and this call still inherits it.
  package func closeOnExec() { _ = withSocket { fcntl($0, F_SETFD, FD_CLOEXEC) } }
}

/// The epoll descriptor of one of NIO's event loops.
package enum EpollDescriptor {
  /// The epoll descriptor of `loop`; nil if NIO's private properties aren't as expected or the loop doesn't use epoll. To be called on the loop.
  package static func of(_ loop: any EventLoop) -> CInt? {
    guard let selector = child("_selector", of: loop), let descriptor = child("selectorFD", of: selector) as? CInt else { return nil }
    return isEpoll(descriptor) ? descriptor : nil
  }

  /// Closes the loop's epoll descriptor in programs that the process starts from now on. To be called on the loop.
  package static func closeOnExec(of loop: any EventLoop) {
    if let descriptor = of(loop) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// The number that the next opened descriptor will get, unless another thread opens one before; nil if the process has no descriptor left.
  package static func nextFree() -> CInt? {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return descriptor
  }

  /// Sets close-on-exec on `descriptor` if it is an epoll descriptor without that flag; returns whether it was. Much faster than `of(_:)`, whose
  /// reflection takes most of a millisecond the first time.
  package static func closeOnExec(_ descriptor: CInt?) -> Bool {
    guard let descriptor, isEpoll(descriptor) else { return false }
    let flags = fcntl(descriptor, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0
  }

  private static func child(_ label: String, of value: Any) -> Any? {
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      if let found = current.children.first(where: { $0.label == label }) { return found.value }
      mirror = current.superclassMirror
    }
    return nil
  }

  private static func isEpoll(_ descriptor: CInt) -> Bool {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    guard length > 0 else { return false }
    // `CChar` is signed on some processors and unsigned on others.
    return target.prefix(length).map { UInt8(truncatingIfNeeded: $0) }.elementsEqual("anon_inode:[eventpoll]".utf8)
  }
}
