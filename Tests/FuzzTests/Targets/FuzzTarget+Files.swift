import Foundation
import LoadingModel

@testable import HTTPTransport
@testable import ProtocolRules
@testable import URLLoadingSystem

extension FuzzTarget {
  static let files = [
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
      "resume-data", seeds: ["<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>version</key><integer>1</integer></dict></plist>"]
    ) {
      bytes in
      _ = ResumeData(Data(bytes))
      _ = UploadResumeData(Data(bytes))
    },
    FuzzTarget(
      "info-plist",
      seeds: [
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>"
          + "<key>a.test</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string></dict></dict></dict></dict></plist>"
      ]
    ) { bytes in
      guard let list = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil) as? [String: Any] else {
        return
      }
      _ = URLSessionAppTransportSecurity(propertyList: list[URLSessionAppTransportSecurity.key] as? [String: Any] ?? list)
    },
  ]
}
