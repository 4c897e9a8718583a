#if Combine
  import Foundation

  /// What the examples load.
  public struct Article: Codable, Equatable, Sendable, Identifiable {
    public var id: Int
    public var title: String

    public init(id: Int, title: String) {
      (self.id, self.title) = (id, title)
    }
  }
#endif
