import Dispatch

/// An object of the app's that a cache keeps, such as a `CachedURLResponse`.
///
/// It is released on a thread of its own: its `deinit`, or that of what it refers to, is the app's code, which may use the cache, and the cache's lock is
/// held where it drops a response.
package final class KeptObject: Sendable {
  private static let releases = DispatchQueue(label: "URLLoadingSystem.cache.release", qos: .utility)

  /// The only reference that this holds, so that none is released here.
  private let reference: Unmanaged<any AnyObject & Sendable>

  package init(_ object: any AnyObject & Sendable) { reference = Unmanaged.passRetained(object) }

  deinit { KeptObject.releases.async { [reference] in reference.release() } }

  package var object: any AnyObject & Sendable { reference.takeUnretainedValue() }
}
