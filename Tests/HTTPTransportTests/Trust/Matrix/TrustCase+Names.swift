extension TrustCase {
  static let names = [
    TrustCase(
      name: "the name itself", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("www.example.com")]) },
    TrustCase(
      name: "another name", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.org")]) },
    TrustCase(
      name: "a name above it", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("example.com")]) },
    TrustCase(
      name: "a name below it", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("a.www.example.com")]) },
    TrustCase(
      name: "capital letters", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("WWW.Example.COM")]) },
    TrustCase(
      name: "the last of twenty names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.direct([
        dns("a0.example.com"), dns("a1.example.com"), dns("a2.example.com"), dns("a3.example.com"), dns("a4.example.com"),
        dns("a5.example.com"), dns("a6.example.com"), dns("a7.example.com"), dns("a8.example.com"), dns("a9.example.com"),
        dns("a10.example.com"), dns("a11.example.com"), dns("a12.example.com"), dns("a13.example.com"), dns("a14.example.com"),
        dns("a15.example.com"), dns("a16.example.com"), dns("a17.example.com"), dns("a18.example.com"), dns("www.example.com"),
      ])
    },
    TrustCase(
      name: "no alternative name, the common name fits", here: "wrongHost", curl: .yes, chromium: .no,
      why: "RFC 9525, 2: the common name is no place for hosts; curl takes it where there is no DNS name"
    ) { try $0.direct([]) { $0.name = "www.example.com" } },
    TrustCase(
      name: "no DNS name among the alternatives, the common name fits", here: "wrongHost", curl: .yes, chromium: .no,
      why: "RFC 9525, 2: the common name is no place for hosts; curl takes it where there is no DNS name"
    ) { try $0.direct([email("a@example.com")]) { $0.name = "www.example.com" } },
    TrustCase(
      name: "a wildcard for the first label", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard, and the domain itself is asked for", host: "example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard, and a name two labels below is asked for", host: "a.b.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard below a top-level domain", host: "example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.com")]) },
    TrustCase(
      name: "a wildcard alone", host: "localhost", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*")]) },
    TrustCase(
      name: "a wildcard in a label, at its end", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("ww*.example.com")]) },
    TrustCase(
      name: "a wildcard in a label, at its start", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*w.example.com")]) },
    TrustCase(
      name: "a wildcard in a label, inside", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("w*w.example.com")]) },
    TrustCase(
      name: "a wildcard as the second label", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.*.com")]) },
    TrustCase(
      name: "a wildcard as the last label", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.*")]) },
    TrustCase(
      name: "two wildcards", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.*.com")]) },
    TrustCase(
      name: "a wildcard for an international label", host: "xn--bcher-kva.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard inside of an international label", host: "xn--bcher-kva.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("xn--bcher-*.example.com")]) },
    TrustCase(
      name: "an international name in its ASCII form", host: "xn--bcher-kva.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("xn--bcher-kva.example.com")]) },
    TrustCase(
      name: "an international name in UTF-8", host: "xn--bcher-kva.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("b\u{FC}cher.example.com")]) },
    TrustCase(
      name: "a name with a NUL inside", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.com\0.evil.test")]) },
    TrustCase(
      name: "a name with a dot at its end", here: "wrongHost", curl: .yes, chromium: .yes,
      why: "names in certificates are without it (RFC 5280, 4.2.1.6; RFC 1034, 3.5); the others take it away"
    ) { try $0.direct([dns("www.example.com.")]) },
    TrustCase(
      name: "a dot at the end of what is asked for", host: "www.example.com.", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("www.example.com")]) },
    TrustCase(
      name: "an underscore", host: "a_b.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("a_b.example.com")]) },
    TrustCase(
      name: "an empty name", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("")]) },
    TrustCase(
      name: "an e-mail address and a URI alone", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([email("www.example.com"), uri("https://www.example.com/")]) },
    TrustCase(
      name: "an IPv4 address", host: "192.0.2.1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([address([192, 0, 2, 1])]) },
    TrustCase(
      name: "another IPv4 address", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address([192, 0, 2, 2])]) },
    TrustCase(
      name: "an IPv4 address as a name", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("192.0.2.1")]) },
    TrustCase(
      name: "an IPv4 address as a wildcard", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.0.2.1")]) },
    TrustCase(
      name: "an IPv6 address", host: "2001:db8::1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([address([0x20, 1, 0x0D, 0xB8] + zeros(11) + [1])]) },
    TrustCase(
      name: "an IPv4 address as one of IPv6", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address(zeros(10) + [0xFF, 0xFF, 192, 0, 2, 1])]) },
    TrustCase(
      name: "an address of five bytes", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address([192, 0, 2, 1, 0])]) },
  ]
}
