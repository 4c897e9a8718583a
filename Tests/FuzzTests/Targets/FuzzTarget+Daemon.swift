import Foundation
@testable import LoadingModel

@testable import BackgroundTransfers
@testable import URLLoadingSystem

extension FuzzTarget {
  static let daemon = [
    FuzzTarget("daemon-messages", seeds: ["{\"resume\":{\"task\":1}}", "{\"taken\":{\"events\":[1,2]}}", "[[[[[[", "{\"attach\":{}}"]) {
      bytes in
      let data = Data(bytes)
      if let message = try? MessageCoding.decode(AppMessage.self, from: data) { _ = try? MessageCoding.encode(message) }
      if let message = try? MessageCoding.decode(DaemonMessage.self, from: data) { _ = try? MessageCoding.encode(message) }
    },
    FuzzTarget("daemon-frames", binary: [[3, 0, 0, 0, 2, 0x7B, 0x7D, 0, 0, 0, 1, 0x30], [1, 0xFF, 0xFF, 0xFF, 0xFF]]) { bytes in
      var input = FuzzInput(bytes)
      var (reader, came) = (FrameReader(limit: 1024), 0)
      for piece in input.pieces() {
        came += piece.count
        for message in piece.withUnsafeBytes({ reader.take($0) }) { expect((1...1024).contains(message.count), "\(message.count) bytes") }
        expect(reader.heldBytes <= min(came, 1028), "\(reader.heldBytes) bytes are held")
      }
    },
    FuzzTarget("daemon-records", seeds: ["{\"url\":\"https://a.test/\",\"method\":\"GET\"}"]) { bytes in
      _ = BackgroundCoding.request(Data(bytes))
      _ = BackgroundCoding.response(Data(bytes))
      _ = BackgroundCoding.metrics(Data(bytes))
    },
  ]
}
