import BackgroundTransfers
import Foundation

/// What a link reports, in order.
final class LinkRecorder: Sendable {
  enum Event: Sendable, Equatable {
    case messages([Data])
    case ended(LinkEnd)
  }

  private let events: AsyncStream<Event>
  private let reporting: AsyncStream<Event>.Continuation

  /// Starts the link.
  init(_ link: MessageLink) {
    (events, reporting) = AsyncStream.makeStream(of: Event.self)
    link.start(received: { [reporting] in reporting.yield(.messages($0)) }, ended: { [reporting] in reporting.yield(.ended($0)) })
  }

  /// The next `count` messages, decoded; fewer if the link ends before. One caller at a time.
  func next<Message: Decodable>(_ count: Int, as type: Message.Type) async throws -> [Message] {
    var messages: [Message] = []
    for await event in events {
      guard case .messages(let some) = event else { break }
      for data in some { messages.append(try MessageCoding.decode(type, from: data)) }
      if messages.count >= count { break }
    }
    return messages
  }

  /// Everything up to the end of the link.
  func rest() async -> (messages: [Data], end: LinkEnd?) {
    var messages: [Data] = []
    for await event in events {
      switch event {
      case .messages(let some): messages += some
      case .ended(let end): return (messages, end)
      }
    }
    return (messages, nil)
  }

  /// What is reported after the end, when all that could be reported has been.
  func finish() async -> [Event] {
    reporting.finish()
    var later: [Event] = []
    for await event in events { later.append(event) }
    return later
  }
}
