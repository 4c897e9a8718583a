import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials

extension Data {
  // Foundation's `Data(contentsOf:)` and `String(contentsOf:encoding:)` call this initialiser for each URL that isn't a file's, and it throws if it
  // isn't replaced. `ReadingOptions` apply to files only.
  @_dynamicReplacement(for:init(_contentsOfRemote:options:))
  private init(contentsOfURLLoadedBySession url: URL, options: Data.ReadingOptions = []) throws {
    self = try RemoteContents.load(url).data
  }
}
