import Foundation

/// A response and its body as a cache keeps them. Immutable.
open class CachedURLResponse: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // @unchecked: every stored property is immutable, and `userInfo` holds property-list values by contract; subclasses answer for what they
  // add.
  private let storedResponse: URLResponse
  private let storedData: Data
  private let storedUserInfo: [AnyHashable: Any]?
  private let policy: URLCache.StoragePolicy

  /// A response without URL, type and body. A placeholder, for tests and for subclasses.
  public override init() {
    storedResponse = URLResponse()
    storedData = Data()
    storedUserInfo = nil
    policy = .allowed
    super.init()
  }

  /// A response that may be stored in memory and on disk.
  public init(response: URLResponse, data: Data) {
    storedResponse = response
    storedData = data
    storedUserInfo = nil
    policy = .allowed
    super.init()
  }

  /// A response with a storage policy and data of the app's own.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - userInfo: Anything the app wants to find again. Only property-list values are archived.
  ///   - storagePolicy: Where it may be stored.
  public init(response: URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil, storagePolicy: URLCache.StoragePolicy) {
    storedResponse = response
    storedData = data
    storedUserInfo = userInfo
    policy = storagePolicy
    super.init()
  }

  /// Decodes a response; nil if the archive doesn't hold one.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let response = coder.nestedResponse(ArchiveKey.response),
      let data = try? coder.object(NSData.self, ArchiveKey.data),
      let number = try? coder.object(NSNumber.self, ArchiveKey.policy),
      let policy = URLCache.StoragePolicy(rawValue: number.uintValue)
    else { return nil }
    storedResponse = response
    storedData = data as Data
    self.policy = policy
    storedUserInfo = CachedUserInfo.dictionary((try? coder.object(NSData.self, ArchiveKey.userInfo)) as Data?)
    super.init()
  }

  /// The response: URL, status and header fields.
  open var response: URLResponse { storedResponse }

  /// The response's body, decoded.
  open var data: Data { storedData }

  /// The dictionary that the app stored with the response; nil without one.
  open var userInfo: [AnyHashable: Any]? { storedUserInfo }

  /// Whether the response may be stored in memory and on disk, in memory alone, or not at all.
  open var storagePolicy: URLCache.StoragePolicy { policy }

  /// True: the class can be decoded from a secure archive.
  open class var supportsSecureCoding: Bool { true }

  /// Encodes response, body, policy, and `userInfo` if it is a property list with string keys.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(storedResponse, forKey: ArchiveKey.response)
    coder.encode(storedData as NSData, forKey: ArchiveKey.data)
    coder.encode(NSNumber(value: policy.rawValue), forKey: ArchiveKey.policy)
    guard let encoded = CachedUserInfo.archived(storedUserInfo) else { return }
    coder.encode(encoded as NSData, forKey: ArchiveKey.userInfo)
  }

  /// The object itself: it can't change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether response, body, policy and `userInfo` are equal. Values in `userInfo` that can't be compared count as different.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CachedURLResponse else { return false }
    if self === other { return true }
    return policy == other.policy && storedData == other.storedData && storedResponse.isEqual(other.storedResponse)
      && CachedURLResponse.areEqual(storedUserInfo, other.storedUserInfo)
  }

  /// A hash of the properties that `isEqual(_:)` compares: equal objects have equal hashes.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(storedData)
    hasher.combine(storedResponse)
    return hasher.finalize()
  }

  private static func areEqual(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard left.count == right.count else { return false }
    return left.allSatisfy { key, value in
      guard let value = value as? AnyHashable, let other = right[key] as? AnyHashable else { return false }
      return value == other
    }
  }

  private enum ArchiveKey {
    static let response = "response"
    static let data = "data"
    static let policy = "storagePolicy"
    static let userInfo = "userInfo"
  }
}
