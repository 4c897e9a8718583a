#if Inspector
  import URLLoadingSystem

  extension URLSessionConfiguration {
    /// The recorder of the tasks of sessions that are created with this configuration. Default: nil, which means the recorder of
    /// ``URLSessionInspector/recordAll(_:)`` at the time a task starts, if there is one.
    ///
    /// An addition to Apple's API, with the package trait `Inspector`.
    public var inspector: URLSessionInspector? {
      get { transferRecording as? URLSessionInspector }
      set { transferRecording = newValue }
    }
  }
#endif
