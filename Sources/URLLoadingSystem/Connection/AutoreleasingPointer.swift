/// A pointer by which a function returns an object, such as `&response` in `NSURLConnection.sendSynchronousRequest(_:returning:)`.
///
/// Without Objective-C nothing is autoreleased: it is an ordinary pointer.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
