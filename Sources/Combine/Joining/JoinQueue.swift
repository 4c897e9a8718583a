#if Combine
  /// A first-in, first-out queue; appending and removing take constant time on average.
  struct JoinQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Appends an element, in place of the last one if as many as `limit` wait, at least one; nil for no limit. Returns the one that was replaced.
    mutating func append(_ element: Element, limit: Int?) -> Element? {
      let isFull = limit.map { count >= max(1, $0) } ?? false
      let replaced = isFull ? elements.removeLast() : nil
      elements.append(element)
      return replaced
    }

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
