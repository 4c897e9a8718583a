import Foundation
import LoadingModel

/// One change of the cache that hasn't been written to the disk yet.
enum CacheChange: Sendable {
  /// Where the body of a response to be stored is now.
  enum Body: Sendable {
    case bytes(Data)
    case file(UnfinishedBody, length: Int64)
    /// In the file that is named by the response's id, at its final place.
    case placed(length: Int64)

    var length: Int64 {
      switch self {
      case .bytes(let data): Int64(data.count)
      case .file(_, let length), .placed(let length): length
      }
    }
  }

  case store(StoredResponse, Body)
  /// A new head for a stored response, whose body stays.
  case update(StoredResponse)
  /// Removes the stored response that was replaced by one which isn't on disk.
  case removeVariant(url: String, Int64)
  case remove(id: Int64, url: String)
  case removeURL(String)
  case removeStored(after: Date)
  case removeAll
  /// Evicts responses, because the capacity was lowered.
  case shrink

  /// The URL that the change concerns; nil if it concerns all.
  var url: String? {
    switch self {
    case .store(let response, _), .update(let response): response.url
    case .removeVariant(let url, _), .remove(_, let url), .removeURL(let url): url
    case .removeStored, .removeAll, .shrink: nil
    }
  }

  /// What must still be written if the disk has refused this change: responses that were removed or replaced mustn't come back. nil if nothing.
  var remainder: CacheChange? {
    switch self {
    case .store(let response, _): .removeVariant(url: response.url, response.variant)
    case .update, .shrink: nil
    case .removeVariant, .remove, .removeURL, .removeStored, .removeAll: self
    }
  }

  /// Bytes of memory that the change's body takes until it is written.
  var bytesHeld: Int {
    if case .store(_, .bytes(let data)) = self { data.count } else { 0 }
  }
}

/// What one transaction on disk has changed.
struct CacheOutcome: Sendable {
  /// URL hashes without any stored response from now on.
  var gone: Set<Int64> = []
  /// Ids of the removed responses.
  var removed: [Int64] = []
  /// Ids of removed responses with body files, which are to be deleted after the commit.
  var orphans: [Int64] = []
  /// Whether all responses were removed.
  var removedAll = false
  /// The highest number in the table `changes` before the transaction; `sequence` is the one after it.
  var sequenceBefore: Int64 = 0
  /// Why a body's file couldn't be put in place, so that its response wasn't stored; nil if all were.
  var refusal: StoreFailure?
  var sequence: Int64 = 0
}
