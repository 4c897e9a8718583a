#if !Inspector
  // Without the package trait, this unavailable declaration exists, so that the compiler's message says how to enable it instead of "cannot find in
  // scope".

  /// Records what sessions send and receive, which the package trait `Inspector` provides.
  @available(
    *, unavailable,
    message: "URLLoadingInspector is empty without the package trait Inspector: .package(url: …, traits: [\"Inspector\"])"
  )
  public final class URLSessionInspector {}
#endif
