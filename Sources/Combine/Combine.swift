#if Combine
  @_exported import OpenCombine
  @_exported import URLLoadingSystem
#else
  // Without the package trait, these unavailable declarations exist, so that the compiler's message says how to enable it instead of "cannot find
  // type".

  /// Combine's publisher, which the package trait `Combine` provides.
  @available(*, unavailable, message: "Enable the trait: .package(url: …/swift-url-loading-system.git, …, traits: [\"Combine\"])")
  public protocol Publisher {}

  /// Combine's type-erased publisher, which the package trait `Combine` provides.
  @available(*, unavailable, message: "Enable the trait: .package(url: …/swift-url-loading-system.git, …, traits: [\"Combine\"])")
  public struct AnyPublisher<Output, Failure: Error> {}

  /// Combine's handle that cancels a subscription, which the package trait `Combine` provides.
  @available(*, unavailable, message: "Enable the trait: .package(url: …/swift-url-loading-system.git, …, traits: [\"Combine\"])")
  public struct AnyCancellable: Hashable {}

  /// Combine's observable object, which the package trait `Combine` provides.
  @available(*, unavailable, message: "Enable the trait: .package(url: …/swift-url-loading-system.git, …, traits: [\"Combine\"])")
  public protocol ObservableObject: AnyObject {}
#endif
