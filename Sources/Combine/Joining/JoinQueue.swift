#if Combine
  /// First in, first out, in constant time on average.
  struct JoinQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeLast() { if !isEmpty { elements.removeLast() } }

    mutating func popFirst() -> Element? {
      guard !isEmpty else { return nil }
      defer {
        elements[head] = nil
        head += 1
        // The front is given up when it is the larger part.
        if head == elements.count || head > 32 && head * 2 > elements.count {
          elements.removeFirst(head)
          head = 0
        }
      }
      return elements[head]
    }
  }
#endif
