/// A region with its kind, and with what else is known about its use. A value.
package struct MappedRegion: Sendable, Equatable {
  package var region: MemoryRegion
  package var kind: RegionKind
  package var use: RegionUse

  package init(_ region: MemoryRegion, _ kind: RegionKind, _ use: RegionUse = .plain) {
    self.region = region
    self.kind = kind
    self.use = use
  }
}
