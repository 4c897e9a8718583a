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
