#if Combine
  import OpenCombine

  // OpenCombine declares these two only if it is compiled where no module named Combine can be imported. That is so in a clean build folder, but not
  // in one where this module has been built before. Declaring them here makes them available in both cases: for importers of this module, its own
  // declarations take precedence over those that it re-exports.

  extension Result {
    /// The type of a publisher of a result: it publishes the value and finishes, or fails.
    public typealias Publisher = OCombine.Publisher

    /// A publisher that publishes the result's value and finishes, or fails with its error.
    public var publisher: OCombine.Publisher { OCombine.Publisher(self) }
  }

  extension Optional {
    /// The type of a publisher of an optional: it publishes the value, if there is one, and finishes.
    public typealias Publisher = OCombine.Publisher

    /// A publisher that publishes the optional's value, if there is one, and finishes.
    public var publisher: OCombine.Publisher { OCombine.Publisher(self) }
  }
#endif
