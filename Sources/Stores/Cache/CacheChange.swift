import Foundation
import LoadingModel

/// One change that the disk has yet to be told.
enum CacheChange: Sendable {
  /// A body on its way to the disk.
  enum Body: Sendable {
    case bytes(Data)
    case file(UnfinishedBody, length: Int64)
    /// In the file that bears the id.
    case placed(length: Int64)

    var length: Int64 {
      switch self {
      case .bytes(let data): Int64(data.count)
      case .file(_, let length), .placed(let length): length
      }
    }
  }

  case store(StoredResponse, Body)
  /// A new head for the same body.
  case update(StoredResponse)
  /// What has been replaced by a response that isn't on disk.
  case removeVariant(url: String, Int64)
  case remove(id: Int64, url: String)
  case removeURL(String)
  case removeStored(after: Date)
  case removeAll
  /// The capacity has become smaller.
  case shrink

  /// The URL concerned; nil for changes that concern all.
  var url: String? {
    switch self {
    case .store(let response, _), .update(let response): response.url
    case .removeVariant(let url, _), .remove(_, let url), .removeURL(let url): url
    case .removeStored, .removeAll, .shrink: nil
    }
  }

  /// What must still happen if the disk refused the change: what was removed or replaced mustn't come back.
  var remainder: CacheChange? {
    switch self {
    case .store(let response, _): .removeVariant(url: response.url, response.variant)
    case .update, .shrink: nil
    case .removeVariant, .remove, .removeURL, .removeStored, .removeAll: self
    }
  }

  /// Bytes of memory held until the disk has them.
  var bytesHeld: Int {
    if case .store(_, .bytes(let data)) = self { data.count } else { 0 }
  }
}

/// What a transaction did.
struct CacheOutcome: Sendable {
  /// Hashes of which the disk now holds nothing.
  var gone: Set<Int64> = []
  /// Ids whose rows are no more.
  var removed: [Int64] = []
  /// Those of them with files, to be removed now that the transaction is committed.
  var orphans: [Int64] = []
  /// Whether everything was removed.
  var removedAll = false
  /// The last number in `changes` before the transaction and after.
  var sequenceBefore: Int64 = 0
  /// Why a body couldn't be placed; its response isn't stored then.
  var refusal: StoreFailure?
  var sequence: Int64 = 0
}
