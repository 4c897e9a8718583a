import NIOCore

/// Pieces of a body that wait, in order. A body of one piece, as most are, needs no memory beside it.
struct PieceLine {
  private var first: ByteBuffer?
  /// Those behind the first.
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
