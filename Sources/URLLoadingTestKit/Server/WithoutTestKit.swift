#if !TestKit
  // Without the trait the module has names that say how to get it, so that its use doesn't end in "cannot find in scope".

  /// A loopback server whose replies and faults are values, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class TestServer {}

  /// What a test server replies, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public struct Reply {}

  /// What a test server does wrong on request, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public enum Fault {}

  /// An authority whose certificates a test trusts, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public struct TestCertificateAuthority {}

  /// A proxy on the loopback interface, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class TestProxy {}

  /// A point at which a test holds something up, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class Gate {}

  /// A clock that tests set, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class ManualClock {}

  /// A delegate that records what it is told, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class DelegateRecorder {}

  /// The server's side of a WebSocket, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class WebSocketService {}
#endif
