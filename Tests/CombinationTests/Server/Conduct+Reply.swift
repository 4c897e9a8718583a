import Foundation
import URLLoadingTestKit

extension Case {
  /// Fields of every good answer.
  var fields: HeaderList {
    var fields: HeaderList = ["Content-Type": "text/plain", "ETag": "\"v\""]
    fields.add("Cache-Control", keeping == .cache ? "max-age=3600" : "no-store")
    if keeping == .cookies { fields.add("Set-Cookie", "crumb=1; Path=/") }
    return fields
  }

  /// An answer without faults.
  var goodReply: Reply { Reply(headers: fields, body: .pattern(count: size.count)) }

  /// Whether the reply must be known before the request's body comes.
  var isReplyFixed: Bool { conduct == .stallsReading || conduct == .early }

  /// The reply that the case's conduct makes of a good one.
  func reply(stall gate: Gate, elsewhere: URL) -> Reply {
    let count = size.count
    var reply = goodReply
    switch conduct {
    case .answers: break
    case .chunked: reply.framing = .chunked
    case .compressed: reply = .gzip(alphabet(count), headers: fields)
    case .notFound: reply.status = 404
    case .informational: reply.informational = [.init(103, headers: ["Link": "</a>"]), .init(103)]
    case .trickles: reply.faults = [.trickle(chunkSize: max(1, count / 20))]
    case .closes: reply.faults = [.closeAfterReply(announce: true)]
    case .closesSilently: reply.faults = [.closeAfterReply(announce: false)]
    case .early: reply.faults = [.replyBeforeRequestBody]
    case .redirects: reply = .redirect(to: "/final", status: work.isUpload ? 307 : 302)
    case .redirectsElsewhere: reply = .redirect(to: elsewhere.absoluteString, status: work.isUpload ? 307 : 302)
    case .cutBeforeHead: reply.faults = [.disconnectBeforeHeaders]
    case .cutAfterHead: reply.faults = [.disconnectAfterHeaders]
    case .cutInBody: reply.faults = [.disconnectAfterBodyBytes(count / 2)]
    case .resets: reply.faults = [.reset]
    case .garbage: reply.faults = [.garbage(Data("no HTTP at all\r\n\r\n".utf8))]
    case .wrongLength: reply.faults = [.wrongContentLength(count + 10), .closeAfterReply(announce: false)]
    case .refusesStream: reply.faults = [.resetStream(code: 7)]
    case .goesAway: reply.faults = [.goAway(isProcessed: true)]
    case .goesAwayUnprocessed: reply.faults = [.goAway(isProcessed: false)]
    case .stallsBeforeHead: reply.faults = [.delayBeforeHeaders(gate)]
    case .stallsInBody: reply.faults = [.stallAfter(bodyBytes: count / 2, gate: gate)]
    case .stallsReading: reply.faults = [.slowReader(gate)]
    }
    return reply
  }

  /// The steps of a server that speaks no HTTP.
  func steps(stall gate: Gate) -> [RawStep] {
    switch conduct {
    case .cutInBody: [.read(count: 5), .closeAbruptly]
    case .stallsInBody: [.read(count: 5), .wait(gate)]
    default: [.echo]
    }
  }

  /// What a WebSocket's server does.
  func webSocketConduct(stall gate: Gate) -> WebSocketService.Conduct {
    switch conduct {
    case .cutInBody: .script([.receive(1), .disconnect])
    case .stallsInBody: .script([.receive(1), .stall])
    default: .echo
    }
  }
}

/// The letters that `Reply.Body.pattern` sends.
///
/// They are doubled: a call for each letter keeps five tasks with large bodies from their time limits under ThreadSanitizer.
func alphabet(_ count: Int) -> Data {
  var letters = Data("abcdefghijklmnopqrstuvwxyz".utf8)
  while letters.count < count { letters += letters }
  return letters.prefix(count)
}

/// The value of `Authorization` for the user that the servers know.
enum Users {
  static let name = "user"
  static let password = "right"
  static var authorization: String { "Basic " + Data("\(name):\(password)".utf8).base64EncodedString() }
  /// The name of the field by which servers tell the tasks apart.
  static let field = "X-Task"
}
