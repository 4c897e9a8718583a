import Foundation

/// Finds strong references to a session that start from its delegate, through stored properties, optionals, structures, enumerations and collections.
/// References captured by closures aren't found.
///
/// It reads objects of the app, so it runs on the session's delegate queue, where they are used.
struct HolderSearch {
  /// The largest number of objects and values that are examined.
  private static let limit = 2_000
  private static let depth = 8

  /// Each path as the names of properties from the delegate to the session: "client: Shop.Client → session".
  private(set) var paths: [String] = []
  private var visited: Set<ObjectIdentifier> = []
  private var looked = 0
  private let target: ObjectIdentifier

  init(from delegate: any URLSessionDelegate, to session: ObjectIdentifier) {
    target = session
    visit(delegate, [])
  }

  private mutating func visit(_ object: AnyObject, _ names: [String]) {
    guard names.count < HolderSearch.depth, visited.insert(ObjectIdentifier(object)).inserted else { return }
    let type: Any.Type = Swift.type(of: object)
    let base = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    // A class of C or of the runtime has no Swift properties; its count is negative.
    for index in 0..<max(0, swift_reflectionMirror_recursiveCount(type)) {
      var field = FieldFacts()
      let kind = swift_reflectionMirror_recursiveChildMetadata(type, index: index, fieldMetadata: &field)
      defer { field.freeFunc?(field.name) }
      guard field.isStrong, looked < HolderSearch.limit, HolderSearch.isCopyable(kind) else { continue }
      let offset = swift_reflectionMirror_recursiveChildOffset(type, index: index)
      let name = field.name.map { String(cString: $0) } ?? "\(index)"
      follow(HolderSearch.value(at: base + offset, kind), names + [HolderSearch.shown(name)])
    }
    withExtendedLifetime(object) {}
  }

  private mutating func follow(_ value: Any, _ names: [String]) {
    looked += 1
    guard looked < HolderSearch.limit, names.count < HolderSearch.depth else { return }
    if type(of: value) is AnyClass {
      let object = value as AnyObject
      if ObjectIdentifier(object) == target { return paths.append(names.joined(separator: " → ")) }
      guard !(object is URLSessionTask), !(object is URLSession) else { return }
      return visit(object, HolderSearch.with(type(of: object), names))
    }
    // A value that is `CustomReflectable` isn't examined: its mirror runs code of the app, and needn't show the stored properties.
    guard !(value is any CustomReflectable) || HolderSearch.isStandard(value) else { return }
    let mirror = Mirror(reflecting: value)
    for (number, child) in mirror.children.enumerated() {
      guard looked < HolderSearch.limit else { return }
      follow(child.value, mirror.displayStyle == .optional ? names : names + [child.label ?? "[\(number)]"])
    }
  }

  private static func isStandard(_ value: Any) -> Bool {
    String(reflecting: type(of: value)).hasPrefix("Swift.")
  }

  private static func with(_ type: Any.Type, _ names: [String]) -> [String] {
    var names = names
    if let last = names.popLast() { names.append("\(last): \(String(reflecting: type))") }
    return names
  }

  /// The property's name; the storage of a lazy property or property wrapper is shown as the property.
  private static func shown(_ name: String) -> String {
    for prefix in ["$__lazy_storage_$_", "_$s"] where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
    return name
  }

  /// Whether values of the type can be copied, from the flags of its value witness table (Swift's ABI): one that can't be copied can't be examined.
  private static func isCopyable(_ type: Any.Type) -> Bool {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let witnesses = (metadata - MemoryLayout<UInt>.size).load(as: UnsafeRawPointer.self)
    return witnesses.load(fromByteOffset: 10 * MemoryLayout<UInt>.size, as: UInt32.self) & 0x0080_0000 == 0
  }

  private static func value(at address: UnsafeRawPointer, _ type: Any.Type) -> Any {
    func load<Value>(_: Value.Type) -> Any { address.assumingMemoryBound(to: Value.self).pointee }
    return _openExistential(type, do: load)
  }
}

/// What the Swift runtime reports about a stored property; its layout is the runtime's.
private struct FieldFacts {
  var name: UnsafePointer<CChar>?
  var freeFunc: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  /// Whether the reference is neither weak nor unowned.
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func swift_reflectionMirror_recursiveCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func swift_reflectionMirror_recursiveChildMetadata(
  _: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldFacts>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func swift_reflectionMirror_recursiveChildOffset(_: Any.Type, index: Int) -> Int
