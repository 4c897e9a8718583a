#if Inspector
  import LoadingModel
  import NIOCore

  /// The newest transfers of a recorder, limited in number and in bytes. A value; its owner locks it.
  struct TransferStore {
    private struct Entry {
      var transfer: RecordedTransfer
      var revision: Int
      var weight: Int
    }

    /// The changes since an earlier revision, which bring a page up to date.
    struct Changes {
      /// The store's revision after these changes.
      var revision: Int
      /// The number of the oldest transfer that is still kept: the page has to remove older ones.
      var first: Int
      var transfers: [RecordedTransfer]
    }

    private let limit: Int
    private let weightLimit: Int
    private var entries = CircularBuffer<Entry>()
    /// The number of the oldest transfer, which is the first entry.
    private var first = 1
    private var revision = 0
    private var weight = 0
    /// The number of the oldest transfer that may still have a body.
    private var firstBody = 1

    init(limit: Int, weightLimit: Int) { (self.limit, self.weightLimit) = (max(1, limit), weightLimit) }

    var count: Int { entries.count }

    var transfers: [RecordedTransfer] { entries.map(\.transfer) }

    func transfer(_ number: Int) -> RecordedTransfer? {
      index(number).map { entries[entries.index(entries.startIndex, offsetBy: $0)].transfer }
    }

    func changes(since revision: Int) -> Changes {
      Changes(
        revision: self.revision, first: first,
        transfers: revision == self.revision ? [] : entries.filter { $0.revision > revision }.map(\.transfer))
    }

    /// Appends a new transfer and gives it its number.
    mutating func begin(_ transfer: inout RecordedTransfer) {
      transfer.number = first + entries.count
      revision += 1
      let added = transfer.weight
      weight += added
      entries.append(Entry(transfer: transfer, revision: revision, weight: added))
      while entries.count > limit || weight > weightLimit && entries.count > 1 { removeFirst() }
    }

    /// Replaces the transfer with the same number by this state of it; does nothing if that transfer has been removed.
    mutating func update(_ transfer: RecordedTransfer) {
      guard let offset = index(transfer.number) else { return }
      revision += 1
      firstBody = min(firstBody, transfer.number)
      let place = entries.index(entries.startIndex, offsetBy: offset)
      let new = transfer.weight
      weight += new - entries[place].weight
      entries[place] = Entry(transfer: transfer, revision: revision, weight: new)
      while weight > weightLimit, entries.count > 1 { removeFirst() }
    }

    /// Replaces the bodies of a transfer by those of `transfer`, whose bytes have been moved into files. The revision stays, as pages show no
    /// difference.
    mutating func replaceBodies(by transfer: RecordedTransfer) {
      guard let offset = index(transfer.number) else { return }
      let place = entries.index(entries.startIndex, offsetBy: offset)
      // The bodies have been dropped while they were being written to files.
      guard entries[place].transfer.bodyCount > 0 else { return }
      entries[place].transfer.request.body = transfer.request.body
      entries[place].transfer.response?.body = transfer.response?.body
    }

    /// Drops the bodies of the oldest transfer that has any, except the newest transfer. Returns false if there are none to drop.
    mutating func dropOldestBodies() -> Bool {
      let begin = max(0, firstBody - first)
      for offset in begin..<max(begin, entries.count - 1) {
        let place = entries.index(entries.startIndex, offsetBy: offset)
        firstBody = first + offset + 1
        guard entries[place].transfer.bodyCount > 0 else { continue }
        revision += 1
        entries[place].transfer.request.body?.drop()
        entries[place].transfer.response?.body?.drop()
        entries[place].revision = revision
        return true
      }
      return false
    }

    /// Removes all transfers and returns them, so that the caller can release their bodies outside of the lock.
    mutating func removeAll() -> [RecordedTransfer] {
      let old = transfers
      first += entries.count
      entries.removeAll(keepingCapacity: false)
      weight = 0
      revision += 1
      return old
    }

    private func index(_ number: Int) -> Int? {
      let offset = number - first
      return offset >= 0 && offset < entries.count ? offset : nil
    }

    private mutating func removeFirst() {
      guard let removed = entries.popFirst() else { return }
      weight -= removed.weight
      first += 1
    }
  }

  extension RecordedTransfer {
    /// The approximate memory of the transfer in bytes, without its bodies.
    fileprivate var weight: Int {
      func bytes(_ fields: HeaderFields) -> Int {
        var sum = fields.count * 48
        for entry in fields.entries { sum += entry.name.utf8.count + entry.value.utf8.count }
        return sum
      }
      var sum = 1024 + request.url.utf8.count + bytes(request.fields)
      if let response { sum += bytes(response.fields) + bytes(response.trailers) }
      for message in messages { sum += 64 + message.content.utf8.count }
      for event in events { sum += 48 + event.text.utf8.count }
      return sum
    }

    /// The number of recorded body bytes, in memory and in files.
    fileprivate var bodyCount: Int { (request.body?.count ?? 0) + (response?.body?.count ?? 0) }
  }
#endif
