/// Which kinds of network a load may use.
package struct NetworkAccess: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let cellular = NetworkAccess(rawValue: 1)
  package static let expensive = NetworkAccess(rawValue: 2)
  package static let constrained = NetworkAccess(rawValue: 4)
  package static let all: NetworkAccess = [.cellular, .expensive, .constrained]
}
