import Foundation
@testable import LoadingModel

@testable import HTTPTransport
@testable import LoadingEngine
@testable import ProtocolRules
@testable import URLLoadingInspector
@testable import URLLoadingSystem

extension FuzzTarget {
  static let files = [
    // An archive that can be read is written such that it can be read again.
    FuzzTarget(
      "har",
      seeds: [
        "{\"log\":{\"entries\":[{\"startedDateTime\":\"2026-01-02T03:04:05.678Z\",\"time\":12.5,\"request\":{\"method\":\"GET\",\"url\":"
          + "\"https://a.test/?q=1\",\"headers\":[{\"name\":\"Cookie\",\"value\":\"a=b\"}]},\"response\":{\"status\":200,\"headers\":[{\"name\":"
          + "\"Set-Cookie\",\"value\":\"a=b; Path=/\"}],\"content\":{\"size\":2,\"text\":\"aGk=\",\"encoding\":\"base64\"}},\"timings\":"
          + "{\"blocked\":1,\"dns\":-1,\"connect\":2,\"ssl\":1,\"send\":0,\"wait\":3,\"receive\":4},\"connection\":\"c\"}]}}",
        "{\"log\":{\"entries\":[{\"time\":1e308,\"request\":{\"method\":\"\",\"url\":\"\"},\"response\":{\"status\":0,\"_error\":\"e\"},"
          + "\"_webSocketMessages\":[{\"type\":\"send\",\"time\":-1e308,\"opcode\":2,\"data\":\"AA==\"}]}]}}",
      ]
    ) { bytes in
      guard let transfers = try? HARReading.transfers(Data(bytes)) else { return }
      let written = HARDocument.data(transfers)
      expect((try? HARReading.transfers(written))?.count == transfers.count, String(decoding: written, as: UTF8.self))
    },
    FuzzTarget("pem", seeds: ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\nAA==\n"]) {
      bytes in
      _ = PEMDocument.certificates(in: Data(bytes))
      _ = PEMDocument.privateKey(in: Data(bytes), passphrase: "p")
    },
    FuzzTarget("certificate", binary: [[0x30, 0x82, 1, 0, 0x30, 0x81, 0xF0, 0xA0, 3, 2, 1, 2]]) { bytes in
      let data = Data(bytes)
      _ = CertificateParts.isCertificate(data)
      for part in [CertificateParts.Part.keyInfo, .commonName, .subject, .issuer, .serialNumber, .tlsFeature] {
        _ = CertificateParts.part(part, of: data)
      }
      _ = CertificateParts.validity(of: data)
      _ = CertificateParts.publicKey(data)
    },
    FuzzTarget("revocation-lists", seeds: ["-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n"], binary: revocationLists) { bytes in
      let data = Data(bytes)
      guard let lists = RevocationLists([data]) else { return }
      expect(RevocationLists([data, data])?.count == 2 * lists.count, "it is read differently")
    },
    // What the timestamps are taken out of is read again, and has none.
    FuzzTarget("embedded-timestamps", binary: timestamps) { bytes in
      let certificate = Array(bytes)
      for list in EmbeddedTimestamps.lists(inStaple: certificate) { _ = SignedTimestamp.list(list) }
      for timestamp in SignedTimestamp.list(bytes) { _ = timestamp.signedBytes(for: .certificate(certificate)) }
      guard let found = EmbeddedTimestamps(certificate: certificate) else { return }
      expect(found.remainder.count < certificate.count, "it has grown")
      expect(EmbeddedTimestamps(certificate: DERReader.element(0x30, found.remainder)) == nil, "there are timestamps left")
      for timestamp in SignedTimestamp.list(found.list) {
        _ = timestamp.signedBytes(for: .precertificate(issuerKeyHash: [], found.remainder))
      }
    },
    FuzzTarget(
      "transparency-logs",
      seeds: [
        "{\"log_list_timestamp\":\"2026-11-01T12:55:44Z\",\"operators\":[{\"name\":\"a\",\"logs\":[{\"log_id\":"
          + "\"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\"key\":\"\",\"state\":{\"retired\":{\"timestamp\":\"2026-01-01T00:00:00.5Z\"}},"
          + "\"previous_operators\":[{\"name\":\"b\",\"end_time\":\"2020-01-01T00:00:00Z\"}]}]}]}"
      ]
    ) { bytes in
      let data = Data(bytes)
      guard let logs = try? TransparencyLogs(data) else { return }
      expect((try? TransparencyLogs(data)) == logs && logs.count > 0, "it is read differently")
    },
    FuzzTarget("pkcs12", binary: [[0x30, 0x82, 1, 0, 2, 1, 3, 0x30, 0x81, 0xF0]]) { bytes in
      _ = ClientIdentity.open(pkcs12: Data(bytes), passphrase: "p")
    },
    FuzzTarget(
      "resume-data", seeds: ["<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>version</key><integer>1</integer></dict></plist>"],
      binary: resumeData
    ) { bytes in
      _ = ResumeData(Data(bytes))
      _ = UploadResumeData(Data(bytes))
    },
    // No name leads out of a folder.
    FuzzTarget(
      "suggested-filename",
      seeds: [
        "attachment; filename=\"a/../b.txt\"; filename*=UTF-8''%e4%2e%2e%2fc\0text/html", "inline;filename=..\0", "filename=\\\0image/png",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 2) + ["", ""]
      let fields = ["Content-Disposition": texts[0], "Content-Type": texts[1]]
      guard let url = URL(string: "https://a.test/%2e%2e/x%2Fy"),
        let name = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)?.suggestedFilename
      else { return }
      let isOutside = name.isEmpty || name == "." || name == ".." || name.utf8.contains(0) || name.utf8.contains(UInt8(ascii: "/"))
      expect(!isOutside, name)
    },
    FuzzTarget("cached-user-info", binary: userInfo) { bytes in
      guard let info = CachedUserInfo.dictionary(Data(bytes)) else { return }
      expect(CachedUserInfo.dictionary(CachedUserInfo.archived(info)) != nil, "it isn't read as it was written")
    },
    FuzzTarget(
      "info-plist",
      seeds: [
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>"
          + "<key>a.test</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string></dict></dict></dict></dict></plist>"
      ]
    ) { bytes in
      let data = Data(bytes)
      guard !data.starts(with: Data("bplist".utf8)) || BinaryPropertyList.isSound(data) else { return }
      guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any] else {
        return
      }
      _ = URLSessionAppTransportSecurity(propertyList: list[URLSessionAppTransportSecurity.key] as? [String: Any] ?? list)
    },
  ]

  private static var userInfo: [[UInt8]] {
    let info: [AnyHashable: Any] = [
      "a": [1, 2.5, "text", Date(timeIntervalSince1970: 1), true] as [Any], "b": ["c": Data([1])], "\u{E4}": "\u{E4}",
    ]
    return CachedUserInfo.archived(info).map { [Array($0)] } ?? []
  }

  /// A list with one entry.
  private static var revocationLists: [[UInt8]] {
    func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }
    let time: [UInt8] = [0x17, 13] + Array("260101000000Z".utf8)
    let algorithm = sequence([6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
    let number = sequence([6, 3, 0x55, 0x1D, 0x14], [4, 3, 2, 1, 1])
    let body = sequence(
      [2, 1, 1], algorithm, sequence(), time, time, sequence(sequence([2, 1, 5], time)), DERReader.element(0xA0, sequence(number)))
    return [sequence(body, algorithm, [3, 2, 0, 1])]
  }

  /// A certificate and an OCSP response with a list of one timestamp, and the list.
  private static var timestamps: [[UInt8]] {
    let one = [0] + [UInt8](repeating: 7, count: 32) + [0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 4, 3, 0, 2, 1, 2]
    let list = [0, UInt8(one.count + 2), 0, UInt8(one.count)] + one
    func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }
    func mark(_ last: UInt8) -> [UInt8] {
      sequence([6, 10, 0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 4, last], DERReader.element(4, DERReader.element(4, list)))
    }
    let tbs = sequence([2, 1, 5], DERReader.element(0xA3, sequence(mark(2), sequence([6, 1, 1], [4, 1, 0]))))
    let single = sequence([0x30, 0], [0x80, 0], [0x18, 1, 0x30], DERReader.element(0xA1, sequence(mark(5))))
    let basic = sequence(sequence([0xA2, 0], [0x18, 1, 0x30], sequence(single)))
    let staple = sequence([10, 1, 0], DERReader.element(0xA0, sequence([6, 1, 1], DERReader.element(4, basic))))
    return [list, sequence(tbs, [0x30, 0], [3, 1, 0]), staple]
  }

  /// What a download and an upload leave.
  private static var resumeData: [[UInt8]] {
    let url = URL(filePath: "/tmp/a")
    guard let remote = URL(string: "https://a.test/"), let validator = ResumeValidator(tag: "\"a\"") else { return [] }
    let point = ResumePoint(file: url, received: 5, total: 9, validator: validator)
    var request = LoadRequest(url: remote)
    request.mutate {
      $0.method = "POST"
      $0.body = .data(Data("body".utf8))
    }
    let place = UploadResource(location: remote, version: UploadDraftVersion(6))
    let datas = [ResumeData(point, request: URLRequest(url: remote)).data, UploadResumeData(request, place, length: 4)?.encoded]
    return datas.compactMap { $0.map(Array.init) }
  }
}
