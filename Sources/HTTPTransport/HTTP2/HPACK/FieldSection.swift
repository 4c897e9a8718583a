import LoadingModel
import ProtocolRules

/// One field section of a response, collected field by field: a head or trailers (RFC 9113, 8.1).
struct FieldSection {
  /// The most bytes of a field section, counted as in RFC 9113, 6.5.2, and announced as SETTINGS_MAX_HEADER_LIST_SIZE; the same as for HTTP/1.1.
  static let sizeLimit = ResponseHeadParser.lengthLimit
  static let fieldLimit = ResponseHeadParser.fieldLimit

  /// The first reason why the message is malformed (8.1.1).
  enum Flaw {
    case pseudoField
    case pseudoFieldAfterOthers
    case malformedField
    case connectionSpecificField
    case tooLarge

    var explanation: String {
      switch self {
      case .pseudoField: "it has a pseudo-header field that responses don't have, or one twice"
      case .pseudoFieldAfterOthers: "a pseudo-header field stands behind ordinary ones"
      case .malformedField: "a field's name or value has characters that aren't allowed"
      case .connectionSpecificField: "it has a field that belongs to connections of HTTP/1.1"
      case .tooLarge: "it is longer than \(sizeLimit / 1024) KiB, or has more than \(fieldLimit) fields"
      }
    }
  }

  private(set) var status: Int?
  private(set) var fields: [HeaderFields.Entry] = []
  private(set) var flaw: Flaw?
  private var size = 0
  /// How many fields have been added, pseudo-header fields included.
  private(set) var count = 0

  init() {}

  var isUntouched: Bool { count == 0 }

  mutating func add(_ field: HPACKField) {
    count += 1
    size += field.size
    // After a flaw the fields aren't stored any more; they were decoded only to keep the decoder's table in step with the peer's.
    guard flaw == nil else { return }
    guard size <= FieldSection.sizeLimit, count <= FieldSection.fieldLimit else { return spoil(.tooLarge) }
    switch field.kind {
    case .regular:
      if fields.isEmpty { fields.reserveCapacity(16) }
      fields.append((field.name, field.value))
    case .status(let status):
      guard fields.isEmpty else { return spoil(.pseudoFieldAfterOthers) }
      guard self.status == nil else { return spoil(.pseudoField) }
      self.status = status
    case .wrongPseudo: spoil(.pseudoField)
    case .malformed: spoil(.malformedField)
    case .connectionSpecific: spoil(.connectionSpecificField)
    }
  }

  private mutating func spoil(_ flaw: Flaw) {
    self.flaw = flaw
    fields = []
  }
}
