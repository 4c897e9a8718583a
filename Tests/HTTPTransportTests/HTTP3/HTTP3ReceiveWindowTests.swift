#if HTTP3
  import Testing

  @testable import HTTPTransport

  @Suite struct HTTP3ReceiveWindowTests {
    private let limit = HTTP3ReceiveWindow.unreadLimit

    @Test func serverMaySendOnWhileLittleWaits() {
      var window = HTTP3ReceiveWindow()
      #expect(window.received(limit) == limit)
      #expect(window.read(limit) == 0)
    }

    @Test func whatIsHeldBackIsGivenBackOnceEnoughIsRead() {
      var window = HTTP3ReceiveWindow()
      _ = window.received(limit)
      #expect(window.received(10) == 0 && window.received(5) == 0)
      #expect(window.read(14) == 0)
      #expect(window.read(1) == 15)
      #expect(window.read(100) == 0)
    }
  }
#endif
