import Foundation
import LoadingModel

extension StoredResponse {
  private static let recordVersion: Int64 = 1

  /// The encoded parts of the response that have no column of their own.
  var record: Data {
    var writer = RecordWriter()
    writer.write(StoredResponse.recordVersion)
    writer.write(method)
    writer.write(head)
    writer.write(requestFields)
    writer.write(requestTime)
    writer.write(responseTime)
    writer.write(Int64(storagePolicy))
    writer.write(Int64(source.rawValue))
    writer.write(userInfo) { $0.write($1) }
    writer.write(appHead) { $0.write($1) }
    writer.write(responseURL) { $0.write($1) }
    if let trailers { writer.write(trailers) }
    return Data(writer.bytes)
  }

  /// - Throws: `RecordReader.Malformed` if the record is damaged, or has an unknown version.
  init(id: Int64, url: String, bodyLength: Int64, lastUse: Date, record: Data) throws(RecordReader.Malformed) {
    var reader = RecordReader(record)
    guard try reader.number() == StoredResponse.recordVersion else { throw RecordReader.Malformed() }
    self.id = id
    self.url = url
    self.bodyLength = bodyLength
    self.lastUse = lastUse
    method = try reader.text()
    head = try reader.head()
    requestFields = try reader.fields()
    requestTime = try reader.date()
    responseTime = try reader.date()
    storagePolicy = try reader.integer()
    guard let source = Source(rawValue: try reader.integer()) else { throw RecordReader.Malformed() }
    self.source = source
    userInfo = try reader.optional { (reader) throws(RecordReader.Malformed) in try reader.data() }
    appHead = try reader.optional { (reader) throws(RecordReader.Malformed) in try reader.head() }
    responseURL = try reader.optional { (reader) throws(RecordReader.Malformed) in try reader.text() }
    // Records of earlier versions, or without trailers, end here.
    trailers = reader.isAtEnd ? nil : try reader.fields()
  }

  /// A hash of the method and of the request fields that `Vary` names: a stored response replaces one with the same URL and variant.
  var variant: Int64 {
    let fields = requestFields.entries.map { "\($0.name.lowercased()):\($0.value)" }.sorted()
    return CacheKey.hash(method + "\n" + fields.joined(separator: "\n"))
  }

  /// Bytes of memory charged for the response without its body: those of its texts.
  var headCost: Int {
    var bytes = url.utf8.count + (userInfo?.count ?? 0)
    for entry in head.headers.entries { bytes += entry.name.utf8.count + entry.value.utf8.count }
    for entry in requestFields.entries { bytes += entry.name.utf8.count + entry.value.utf8.count }
    for entry in trailers?.entries ?? [] { bytes += entry.name.utf8.count + entry.value.utf8.count }
    return bytes
  }
}
