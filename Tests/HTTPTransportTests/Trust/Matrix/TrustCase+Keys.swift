extension TrustCase {
  static let keysAndDigests = [
    TrustCase(
      name: "RSA with 2048 bits", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["rsa2048"]) },
    TrustCase(
      name: "RSA with 2047 bits", here: "weakKey", curl: .yes, chromium: .yes,
      why: "2048 bits are what authorities have to have; curl counts the strength by OpenSSL’s security level, Chromium asks for 1024"
    ) { try $0.weak(["rsa2047"]) },
    TrustCase(
      name: "RSA with 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "Chromium asks of authorities that the user has added for 1024 bits"
    ) { try $0.weak(["rsa1024"]) },
    TrustCase(
      name: "RSA with 512 bits", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["rsa512"]) },
    TrustCase(
      name: "P-384", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["p384"]) },
    TrustCase(
      name: "P-521", here: "trusted", curl: .yes, chromium: .no,
      why: "Chromium’s handshake doesn’t offer it"
    ) { try $0.weak(["p521"]) },
    TrustCase(
      name: "P-224", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["p224"]) },
    TrustCase(
      name: "P-192", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["p192"]) },
    TrustCase(
      name: "secp256k1", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["k1"]) },
    TrustCase(
      name: "DSA", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["dsa"]) },
    TrustCase(
      name: "Ed25519", here: "trusted", curl: .yes, chromium: .no,
      why: "TLS has it (RFC 8446, 4.2.3); browsers don’t offer it"
    ) { try $0.weak(["ed25519"]) },
    TrustCase(
      name: "signed with MD5", here: "untrusted: certificate signature failure", curl: .no, chromium: .no
    ) { try $0.weak(["md5"]) },
    TrustCase(
      name: "signed with SHA-1", here: "weakSignature", curl: .no, chromium: .no
    ) { try $0.weak(["sha1"]) },
    TrustCase(
      name: "signed with SHA-384", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["sha384"]) },
    TrustCase(
      name: "signed with SHA-512", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["sha512"]) },
    TrustCase(
      name: "signed with RSA-PSS", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["pss"]) },
    TrustCase(
      name: "below an authority of 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "as above"
    ) { try $0.weak(["below1024", "ca1024"]) },
    TrustCase(
      name: "below an authority that was signed with SHA-1", here: "weakSignature", curl: .no, chromium: .no
    ) { try $0.weak(["belowsha1", "casha1"]) },
    TrustCase(
      name: "below a root of 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "as above"
    ) { try $0.weak(["belowroot1024"], anchor: "root1024") },
    TrustCase(
      name: "below a root that has signed itself with SHA-1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["belowrootsha1"], anchor: "rootsha1") },
  ]
}
