/// A pointer to an object that a function hands out, as `NSURLConnection.sendSynchronousRequest(_:returning:)` does: `&response` is one.
///
/// Without Objective-C nothing is autoreleased: it is an ordinary pointer.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
