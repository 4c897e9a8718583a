#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import NIOHPACK

    extension HPACKHeaders {
      /// Calls `body` with the fields in the form that `CLoadingQUIC` takes, valid during the call only.
      func withFields<Result>(_ body: (UnsafePointer<uls_h3_field>?, Int) -> Result) -> Result {
        var bytes: [UInt8] = []
        var lengths: [(name: Int, value: Int)] = []
        for (name, value, _) in self {
          bytes += name.utf8
          bytes += value.utf8
          lengths.append((name.utf8.count, value.utf8.count))
        }
        return bytes.withUnsafeBufferPointer { buffer in
          guard var start = buffer.baseAddress else { return body(nil, 0) }
          let fields = lengths.map { length in
            defer { start += length.name + length.value }
            return uls_h3_field(
              name: uls_h3_bytes(data: start, length: length.name),
              value: uls_h3_bytes(data: start + length.name, length: length.value), is_secret: 0)
          }
          return fields.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
      }

      /// Appends a field whose name and value have been received as bytes.
      mutating func add(_ name: uls_h3_bytes, _ value: uls_h3_bytes) { add(name: name.text, value: value.text) }
    }

    extension uls_h3_bytes {
      var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: data == nil ? 0 : length) }
      var text: String { String(decoding: buffer, as: UTF8.self) }
    }
  #endif
#endif
