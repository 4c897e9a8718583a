import NIOCore

/// A queue of pieces of a body. The first piece is stored inline, so that a body of a single piece, as most are, needs no allocation.
struct PieceLine {
  private var first: ByteBuffer?
  /// The pieces behind `first`; nil until there was a second one.
  private var others: CircularBuffer<ByteBuffer>?

  var isEmpty: Bool { first == nil }

  var last: ByteBuffer? { others?.last ?? first }

  mutating func append(_ piece: ByteBuffer) {
    guard first != nil else { return first = piece }
    if others == nil { others = CircularBuffer(initialCapacity: 4) }
    others?.append(piece)
  }

  mutating func prepend(_ piece: ByteBuffer) {
    if let first {
      if others == nil { others = CircularBuffer(initialCapacity: 4) }
      others?.prepend(first)
    }
    first = piece
  }

  mutating func popFirst() -> ByteBuffer? {
    guard let piece = first.take() else { return nil }
    first = others?.popFirst()
    return piece
  }

  mutating func popLast() -> ByteBuffer? { others?.popLast() ?? first.take() }
}
