#if TestKit
  import LoadingModel

  /// Header fields in the order in which they are sent or received. Names are compared without case; a name may occur more than once.
  ///
  ///     let headers: HeaderList = ["Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2"]
  public struct HeaderList: Sendable, Hashable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
    /// One field.
    public typealias Element = (name: String, value: String)

    private struct Field: Sendable, Hashable {
      var name: String
      var value: String
    }

    private var fields: [Field]

    /// An empty list.
    public init() { fields = [] }

    /// The fields of `elements`, in order.
    public init(_ elements: some Sequence<(name: String, value: String)>) {
      fields = elements.map { Field(name: $0.name, value: $0.value) }
    }

    /// The fields of the literal in its order, repeated names included.
    public init(dictionaryLiteral elements: (String, String)...) {
      fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The index of the first field: always 0.
    public var startIndex: Int { 0 }

    /// The index after the last field: the number of fields.
    public var endIndex: Int { fields.count }

    /// The field at `position`, which must be a valid index.
    public subscript(position: Int) -> Element { (fields[position].name, fields[position].value) }

    /// The first value under `name`, or nil. Setting replaces every field of that name; setting nil removes them.
    public subscript(name: String) -> String? {
      get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
      set {
        let place = fields.firstIndex { $0.name.equalsIgnoringCase(name) }
        fields.removeAll { $0.name.equalsIgnoringCase(name) }
        if let newValue { fields.insert(Field(name: name, value: newValue), at: place ?? fields.endIndex) }
      }
    }

    /// Every value under `name`, in order.
    public func all(_ name: String) -> [String] {
      fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Whether a field called `name` is present.
    public func contains(name: String) -> Bool { fields.contains { $0.name.equalsIgnoringCase(name) } }

    /// Appends a field; fields of the same name stay.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Whether the comma-separated list under `name` holds `token`, compared without case.
    func listContains(_ name: String, token: String) -> Bool {
      all(name).contains { value in
        value.split(separator: ",").contains { $0.trimmingSpaces().equalsIgnoringCase(token) }
      }
    }
  }
#endif
