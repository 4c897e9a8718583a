#if HTTP3
  import ProtocolRules

  /// The fields of a connection's last response heads, by their places: servers repeat most of them in each response, and comparing a field's bytes
  /// is much faster than making and judging its strings.
  struct HTTP3RepeatedFields {
    /// The most fields that are kept, and the most bytes of one.
    private static let limit = 32
    private static let longest = 256

    private var fields: [HPACKField] = []

    /// - Parameter place: The number of fields before this one in its section.
    mutating func field(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at place: Int) -> HPACKField {
      if place < fields.count, RepeatedFields.isSame(fields[place].value, value), RepeatedFields.isSame(fields[place].name, name) {
        return fields[place]
      }
      let field = HPACKField(name: ResponseHeadParser.text(name), value: ResponseHeadParser.text(value))
      guard field.size <= HTTP3RepeatedFields.longest, place < HTTP3RepeatedFields.limit else { return field }
      if place < fields.count { fields[place] = field } else if place == fields.count { fields.append(field) }
      return field
    }
  }
#endif
