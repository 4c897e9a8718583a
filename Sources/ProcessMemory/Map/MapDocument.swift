import Foundation

/// A memory map as JSON. The keys are stable, because scripts and later versions read them. Sizes are in bytes. Addresses are hexadecimal text,
/// because many JSON readers keep only 53 bits of a number. A value.
package struct MapDocument: Codable, Sendable, Equatable {
  /// The counts of one or more regions.
  package struct Counts: Codable, Sendable, Equatable {
    package var regions: Int
    package var virtual: UInt64
    package var resident: UInt64
    package var dirty: UInt64
    package var swapped: UInt64
  }

  /// The counts of the regions of one kind: the keys of `Counts`, and the kind.
  package struct Kind: Codable, Sendable, Equatable {
    package var kind: RegionKind
    package var regions: Int
    package var virtual: UInt64
    package var resident: UInt64
    package var dirty: UInt64
    package var swapped: UInt64
  }

  /// One region of the address space.
  package struct Region: Codable, Sendable, Equatable {
    package var kind: RegionKind
    package var start: String
    package var end: String
    package var permissions: String
    package var virtual: UInt64
    package var resident: UInt64
    package var proportional: UInt64
    package var dirty: UInt64
    package var swapped: UInt64
    package var file: String?
    package var offset: UInt64?
    package var detail: String?
    package var threads: [Thread]?
  }

  /// A thread whose stack is in a region.
  package struct Thread: Codable, Sendable, Equatable {
    package var id: Int32
    package var name: String
  }

  /// The version of the format: 1.
  package var format: Int
  package var process: Int32
  package var name: String
  package var threads: Int
  package var unreadableLines: Int
  package var total: Counts
  package var kinds: [Kind]
  package var regions: [Region]

  /// Creates the document of a map.
  package init(_ map: MemoryMap) {
    format = 1
    process = map.process
    name = map.name
    threads = map.threads
    unreadableLines = map.unreadableLines
    total = Counts(map.total)
    kinds = map.sums.map(Kind.init)
    regions = map.regions.map(Region.init)
  }

  /// Reads a document from JSON.
  /// - Throws: `MapDocumentFailure`.
  package init(json: Data) throws(MapDocumentFailure) {
    guard let document = try? JSONDecoder().decode(MapDocument.self, from: json) else { throw .unreadable }
    guard document.format == 1 else { throw .laterFormat(document.format) }
    self = document
  }

  /// The document as JSON text that ends with a line feed.
  package var json: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding can't fail: the document has no value that JSON can't express.
    return ((try? encoder.encode(self)) ?? Data()) + Data("\n".utf8)
  }

  /// The sums for each kind, to compare the document with a map.
  package var sums: [KindSum] { kinds.map { KindSum(kind: $0.kind, totals: KindTotals($0)) } }
}

/// Why a JSON document can't be read as a memory map.
package enum MapDocumentFailure: Error, Sendable, Equatable {
  case unreadable
  /// The document has this format, of a later version of this package.
  case laterFormat(Int)
}

extension MapDocument.Counts {
  init(_ totals: KindTotals) {
    self.init(
      regions: totals.regions, virtual: totals.size, resident: totals.usage.resident, dirty: totals.usage.dirty,
      swapped: totals.usage.swapped)
  }
}

extension MapDocument.Kind {
  fileprivate init(_ sum: KindSum) {
    let counts = MapDocument.Counts(sum.totals)
    self.init(
      kind: sum.kind, regions: counts.regions, virtual: counts.virtual, resident: counts.resident, dirty: counts.dirty,
      swapped: counts.swapped)
  }
}

extension KindTotals {
  fileprivate init(_ counts: MapDocument.Kind) {
    self.init()
    regions = counts.regions
    size = counts.virtual
    usage.resident = counts.resident
    // The document doesn't distinguish private and shared dirty pages, so all count as private.
    usage.privateDirty = counts.dirty
    usage.swapped = counts.swapped
  }
}

extension MapDocument.Region {
  fileprivate init(_ mapped: MappedRegion) {
    let region = mapped.region
    kind = mapped.kind
    start = HexAddress.text(region.start)
    end = HexAddress.text(region.end)
    permissions = region.permissions.description
    virtual = region.size
    resident = region.usage.resident
    proportional = region.usage.proportional
    dirty = region.usage.dirty
    swapped = region.usage.swapped
    file = region.isFile ? region.name : nil
    offset = region.isFile ? region.offset : nil
    // The detail of a region: the kernel's name for it unless it is a file's path, and its use.
    let parts = [region.isFile ? nil : region.name, mapped.use == .plain ? nil : mapped.use.text].compactMap { $0 }
    detail = parts.isEmpty ? nil : parts.joined(separator: " ")
    if case .threads(let found) = mapped.use { threads = found.map { MapDocument.Thread(id: $0.id, name: $0.name) } }
  }
}
