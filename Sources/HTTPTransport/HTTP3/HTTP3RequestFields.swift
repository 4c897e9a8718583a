#if HTTP3
  import CLoadingQUIC
  import LoadingModel

  /// A request's head as the fields that QPACK encodes (RFC 9114, 4.3.1). A value, used once.
  struct HTTP3RequestFields {
    private struct Place {
      let name: Range<Int>
      let value: Range<Int>
      let isSecret: Bool
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    /// The length of all names and values in bytes, before compression.
    var length: Int { bytes.count }

    init(_ request: OutgoingRequest, priority: LoadPriority) {
      bytes.reserveCapacity(512)
      places.reserveCapacity(request.headers.entries.count + 6)
      add(":method", request.method)
      add(":scheme", "https")
      if let host = request.headers.first("host") { add(":authority", host) }
      add(":path", request.target)
      if let name = request.connectProtocol { add(":protocol", name) }
      for (name, value) in request.headers.entries {
        guard let indexing = HPACKEncoder.Indexing.of(name, value) else { continue }
        let isSecret = if case .secret = indexing { true } else { false }
        add(name, value, isSecret: isSecret)
      }
      let isIncremental = priority.isIncremental && request.connectProtocol == nil
      if let value = PriorityField.value(priority.level, isIncremental: isIncremental), !request.headers.contains("priority") {
        add("priority", value)
      }
    }

    /// The trailer fields behind a request's body.
    init(trailers: HeaderFields) {
      for (name, value) in trailers.entries { add(name, value) }
    }

    private mutating func add(_ name: String, _ value: String, isSecret: Bool = false) {
      let start = bytes.count
      append(name)
      let middle = bytes.count
      // RFC 9114, 4.2: "Characters in field names MUST be converted to lowercase".
      bytes.withUnsafeMutableBufferPointer { bytes in
        for index in start..<middle where (0x41...0x5A).contains(bytes[index]) { bytes[index] |= 0x20 }
      }
      append(value)
      places.append(Place(name: start..<middle, value: middle..<bytes.count, isSecret: isSecret))
    }

    private mutating func append(_ text: String) {
      var text = text
      text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    func withFields<Value>(_ body: (UnsafeBufferPointer<uls_h3_field>) -> Value) -> Value {
      bytes.withUnsafeBufferPointer { bytes in
        func part(_ range: Range<Int>) -> uls_h3_bytes {
          uls_h3_bytes(data: bytes.baseAddress.map { $0 + range.lowerBound }, length: range.count)
        }
        return withUnsafeTemporaryAllocation(of: uls_h3_field.self, capacity: places.count) { fields in
          for (index, place) in places.enumerated() {
            fields.initializeElement(
              at: index, to: uls_h3_field(name: part(place.name), value: part(place.value), is_secret: place.isSecret ? 1 : 0))
          }
          return body(UnsafeBufferPointer(fields))
        }
      }
    }
  }
#endif
