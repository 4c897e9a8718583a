#if !Inspector
  // Without the trait the module has a name that says how to get it, so that its use doesn't end in "cannot find in scope".

  /// Records what sessions send and receive, which the package trait `Inspector` provides.
  @available(
    *, unavailable,
    message: "URLLoadingInspector is empty without the package trait Inspector: .package(url: …, traits: [\"Inspector\"])"
  )
  public final class URLSessionInspector {}
#endif
