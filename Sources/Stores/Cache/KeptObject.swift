import Dispatch

/// An object of the app's that a cache keeps, such as a `CachedURLResponse`.
///
/// It is released on a thread of its own: its `deinit`, or that of what it refers to, is the app's code, which may use the cache, and the cache's lock is
/// held where it drops a response.
final class KeptObject: @unchecked Sendable {
  // @unchecked: the reference doesn't change, and the objects that stores are given are Sendable.
  private static let releases = DispatchQueue(label: "URLLoadingSystem.cache.release", qos: .utility)

  /// The only reference that this holds, so that none is released here.
  private let reference: Unmanaged<AnyObject>

  init(_ object: AnyObject) { reference = Unmanaged.passRetained(object) }

  deinit {
    // `Unmanaged` isn't Sendable; releasing may be done on any thread.
    nonisolated(unsafe) let reference = reference
    KeptObject.releases.async { reference.release() }
  }

  var object: AnyObject { reference.takeUnretainedValue() }
}
