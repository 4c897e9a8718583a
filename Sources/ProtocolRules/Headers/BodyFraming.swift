import Foundation
import LoadingModel

/// How a request's body is delimited on HTTP/1.1 (RFC 9112, 6).
package enum BodyFraming: Sendable, Hashable {
  /// No body and no framing field.
  case none
  /// `Content-Length`, in bytes: the transport sends exactly this many or fails.
  case length(Int64)
  /// `Transfer-Encoding: chunked`. HTTP/2 and HTTP/3 simply end the stream.
  case chunked

  /// The framing of `body`, by what will really be sent.
  ///
  /// - Parameters:
  ///   - knownLength: Bytes in the file or stream, if the caller knows; else nil.
  ///   - announcedLength: The app's own `Content-Length`. It is used only for a stream, whose length the app alone knows; the transport enforces
  ///     it. For a body that can be counted it is ignored, since the server would read the bytes after a wrong length as a second request.
  /// - Throws: `dataLengthExceedsMaximum` for a body on GET, as on Apple's platforms, and on TRACE.
  package static func decide(
    method: String, body: LoadRequest.Body, knownLength: Int64? = nil, announcedLength: Int64? = nil
  ) throws(LoadError) -> BodyFraming {
    let length: Int64?
    switch body {
    case .none: return lengthOfNothing(method)
    case .data(let data) where data.isEmpty: return lengthOfNothing(method)
    case .data(let data): length = Int64(data.count)
    case .file, .parts: length = knownLength
    case .pieces(let pieces):
      // RFC 9112, 6.5: only a body in chunks can have trailers.
      length = pieces.trailers == nil ? pieces.length : nil
    case .stream, .suppliedStream: length = knownLength ?? announcedLength
    }
    // RFC 9110, 9.3.8: "A client MUST NOT send content in a TRACE request."
    guard method != "GET", method != "TRACE" else {
      var error = LoadError(.dataLengthExceedsMaximum, .send, "")
      error.advice = "a \(method) request can't have a body: remove it, or use POST or PUT"
      throw error
    }
    guard let length, length >= 0 else { return .chunked }
    return .length(length)
  }

  /// The framing of a request without a body. RFC 9110, 8.6: a user agent "SHOULD send Content-Length in a request when the method defines a
  /// meaning for enclosed content", and "SHOULD NOT" where it doesn't and there is none.
  private static func lengthOfNothing(_ method: String) -> BodyFraming {
    switch method {
    case "POST", "PUT", "PATCH": .length(0)
    default: .none
    }
  }
}
