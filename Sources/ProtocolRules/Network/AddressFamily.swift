/// The two kinds of IP addresses.
package enum AddressFamily: Sendable, Hashable, CaseIterable {
  case v6, v4

  package var other: AddressFamily { self == .v6 ? .v4 : .v6 }
}
