#if Combine
  /// A first-in, first-out queue; appending and removing take constant time on average.
  struct JoinQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }

    mutating func popFirst() -> Element? {
      guard !isEmpty else { return nil }
      defer {
        elements[head] = nil
        head += 1
        // Releases the storage of removed elements when they take more than half of the array, or the queue is empty.
        if head == elements.count || head > 32 && head * 2 > elements.count {
          elements.removeFirst(head)
          head = 0
        }
      }
      return elements[head]
    }
  }
#endif
