#if Combine
  import OpenCombine

  // OpenCombine declares these two only where a module named Combine can't be imported when it is compiled, which is true in a fresh build folder
  // and false in one where this module has been built before. Declared here, they are there either way: for those who import this module its
  // declarations come before those that it re-exports.

  extension Result {
    /// The type of a publisher of a result: one value and the end, or the failure.
    public typealias Publisher = OCombine.Publisher

    /// A publisher of the value and the end, or of the failure.
    public var publisher: OCombine.Publisher { OCombine.Publisher(self) }
  }

  extension Optional {
    /// The type of a publisher of an optional: its value, if there is one, and the end.
    public typealias Publisher = OCombine.Publisher

    /// A publisher of the value, if there is one, and of the end.
    public var publisher: OCombine.Publisher { OCombine.Publisher(self) }
  }
#endif
