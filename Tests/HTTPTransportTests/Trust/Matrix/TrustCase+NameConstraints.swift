extension TrustCase {
  static let nameConstraints = [
    TrustCase(
      name: "within what is permitted", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "outside of what is permitted", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.org")])) })
    },
    TrustCase(
      name: "a name that only ends alike", host: "www.badexample.com", here: "untrusted: permitted subtree violation", curl: .no,
      chromium: .no
    ) {
      try $0.indirect(
        [dns("www.badexample.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "permitted with a dot before it", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns(".example.com")])) })
    },
    TrustCase(
      name: "excluded", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect([dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(excluded: [dns("example.com")])) })
    },
    TrustCase(
      name: "permitted, and excluded inside of that", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")], excluded: [dns("www.example.com")])) })
    },
    TrustCase(
      name: "one of two names is outside", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com"), dns("www.example.org")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "a wildcard within what is permitted", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect([dns("*.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "a wildcard that covers what is excluded", here: "untrusted: excluded subtree violation", curl: .yes, chromium: .no,
      why: "the wildcard would be good for the name that is excluded"
    ) {
      try $0.indirect(
        [dns("*.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(excluded: [dns("www.example.com")])) })
    },
    TrustCase(
      name: "nothing is permitted", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("")], excluded: [dns("")])) })
    },
    TrustCase(
      name: "an address within what is permitted", host: "192.0.2.1", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "an address outside of what is permitted", host: "192.0.2.1", here: "untrusted: permitted subtree violation", curl: .no,
      chromium: .no
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([198, 51, 100, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "an address that is excluded", host: "192.0.2.1", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(excluded: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "addresses are constrained, and it has names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "mail is constrained, and it has names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [email("example.org")])) })
    },
    TrustCase(
      name: "organizations are constrained, and it is of another", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [directory("Others")])) })
    },
    TrustCase(
      name: "organizations are constrained, and it is of that one", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [directory("Matrix")])) })
    },
    TrustCase(
      name: "constraints of the root", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) { try $0.direct(root: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.org")])) }) },
  ]
}
