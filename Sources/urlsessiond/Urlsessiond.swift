import BackgroundDaemon

/// The daemon's entry.
@main
enum Urlsessiond {
  static func main() {}
}
