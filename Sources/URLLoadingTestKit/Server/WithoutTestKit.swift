#if !TestKit
  // Without the package trait, these unavailable declarations exist, so that the compiler's message says how to enable it instead of "cannot find in
  // scope".

  /// A loopback server whose replies and faults are values, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public final class TestServer {}

  /// A reply of a test server, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public struct Reply {}

  /// A fault with which a test server disturbs a reply, which the package trait `TestKit` provides.
  @available(
    *, unavailable,
    message: "URLLoadingTestKit is empty without the package trait TestKit: .package(url: …, traits: [\"TestKit\"])"
  )
  public enum Fault {}

  /// A certificate authority for tests, which the package trait `TestKit` provides.
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

  /// A point at which a test server waits until the test continues it, which the package trait `TestKit` provides.
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

  /// A session delegate that records its calls, which the package trait `TestKit` provides.
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
