import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials

extension Data {
  // Foundation's `Data(contentsOf:)` and `String(contentsOf:encoding:)` call the replaced initialiser for every URL that isn't a file's;
  // without a replacement it throws. `ReadingOptions` are about files.
  @_dynamicReplacement(for:init(_contentsOfRemote:options:))
  private init(contentsOfURLLoadedBySession url: URL, options: Data.ReadingOptions = []) throws {
    self = try RemoteContents.load(url).data
  }
}
