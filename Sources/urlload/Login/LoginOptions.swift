import ArgumentParser

/// The login, and which servers to trust, as given on the command line.
struct LoginOptions: ParsableArguments {
  @Option(
    name: [.customShort("u"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "The login for the server. Without a colon the password is asked for at the terminal.", valueName: "user[:password]"))
  var user: String?

  @Flag(help: "Use Basic only, and send it without waiting to be asked.")
  var basic = false

  @Flag(help: "Use Digest only: the password itself is never sent.")
  var digest = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Trust the certificate authorities in this PEM file, and no others.", valueName: "file"))
  var cacert: String?

  @Option(
    name: [.customShort("E"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "The client's certificate, if the server asks for one: PEM, or PKCS #12 with the key in it.", valueName: "file[:password]"))
  var cert: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The private key of --cert, in PEM, where it is in a file of its own.", valueName: "file"))
  var key: String?

  @Flag(name: [.customShort("k"), .long], help: "Accept any certificate. An attacker on the way can read and change everything.")
  var insecure = false

  mutating func validate() throws {
    if basic, digest { throw ValidationError("--basic and --digest exclude each other; leave both out to let the server choose.") }
    if user == nil, basic || digest { throw ValidationError("--basic and --digest need a login; give it with -u.") }
    if user?.isEmpty == true || user?.hasPrefix(":") == true { throw ValidationError("-u needs a user name before the colon.") }
    if key != nil, cert == nil { throw ValidationError("--key is the key of a certificate; name that with --cert.") }
    if insecure, cacert != nil {
      throw ValidationError("-k accepts any certificate, so --cacert would have no effect; leave one of the two out.")
    }
  }

  /// What the login may be used with.
  var scheme: LoginScheme { basic ? .basic : digest ? .digest : .any }
}
