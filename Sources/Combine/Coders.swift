#if Combine
  import Foundation
  import OpenCombine

  extension JSONDecoder: @retroactive TopLevelDecoder {
    /// JSON is decoded from data.
    public typealias Input = Data
  }

  extension JSONEncoder: @retroactive TopLevelEncoder {
    /// Values are encoded to data with JSON.
    public typealias Output = Data
  }

  extension PropertyListDecoder: @retroactive TopLevelDecoder {
    /// Property lists are decoded from data.
    public typealias Input = Data
  }

  extension PropertyListEncoder: @retroactive TopLevelEncoder {
    /// Values are encoded to data with a property list.
    public typealias Output = Data
  }
#endif
