public import Foundation
import ProtocolRules

/// The values in an asynchronous sequence of bytes that has a JSON text in each line (JSON lines, NDJSON); `jsonLines(of:)` makes it. An addition to
/// Apple's API.
///
/// Lines end with LF or CR LF; the last one needs no line ending. Empty lines are skipped.
public struct URLSessionJSONLineSequence<Base: AsyncSequence, Value: Decodable>: AsyncSequence where Base.Element == UInt8 {
  /// The value decoded from a line.
  public typealias Element = Value
  /// ``URLSessionJSONLineError``, or the error type of the bytes.
  public typealias Failure = any Error

  let base: Base
  let decoder: JSONDecoder
  let limit: Int

  /// Makes an iterator over the values. Iterating twice reads the base sequence twice, if it allows that.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(bytes: ChunkReader(base.makeAsyncIterator()), decoder: decoder, limit: limit, cutter: LineCutter(limit: limit))
  }

  /// Produces the values; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The value decoded from a line.
    public typealias Element = Value
    /// ``URLSessionJSONLineError``, or the error type of the bytes.
    public typealias Failure = any Error

    fileprivate var bytes: ChunkReader<Base.AsyncIterator>
    fileprivate let decoder: JSONDecoder
    fileprivate let limit: Int
    fileprivate var cutter: LineCutter
    fileprivate var isOver = false

    /// The value of the next line; nil at the end.
    ///
    /// If a line can't be decoded, the following call returns the value of the line after it.
    /// - Throws: ``URLSessionJSONLineError``, or the error of the byte sequence.
    public mutating func next() async throws -> Value? {
      try await next(isolation: nil)
    }

    /// The value of the next line, awaited on the caller's actor; nil at the end.
    ///
    /// If a line can't be decoded, the following call returns the value of the line after it.
    /// - Throws: ``URLSessionJSONLineError``, or the error of the byte sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Value? {
      guard let line = try await nextLine(isolation: actor) else { return nil }
      do {
        return try decoder.decode(Value.self, from: line.content)
      } catch {
        throw URLSessionJSONLineError(line: line.number, reason: .undecodable(error))
      }
    }

    private mutating func nextLine(isolation: isolated (any Actor)?) async throws -> LineCutter.Line? {
      do {
        while !isOver {
          if let line = try cutter.nextLine() { return line }
          guard let chunk = try await bytes.nextChunk(isolation: isolation) else {
            isOver = true
            return try cutter.finish()
          }
          cutter.refill(chunk)
        }
        return nil
      } catch {
        isOver = true
        guard let tooLong = error as? LineCutter.TooLong else { throw error }
        throw URLSessionJSONLineError(line: tooLong.line, reason: .tooLong(limit: limit))
      }
    }
  }
}

extension URLSessionJSONLineSequence: Sendable where Base: Sendable {}
extension URLSessionJSONLineSequence.AsyncIterator: Sendable where Base.AsyncIterator: Sendable {}

/// The error of a JSON line that can't be read: the line's number and the reason.
public struct URLSessionJSONLineError: Error, Sendable {
  /// Why a line can't be read.
  public enum Reason: Sendable {
    /// The line isn't JSON, or not of the type asked for; the decoder's error, usually a `DecodingError`.
    case undecodable(any Error)
    /// The line is longer than the limit, in bytes. The sequence ends with this error.
    case tooLong(limit: Int)
  }

  /// The line's number; the first line is 1, and empty lines count.
  public let line: Int
  /// Why the line can't be read.
  public let reason: Reason
}

extension URLSessionJSONLineError: LocalizedError, CustomStringConvertible {
  /// The reason with the line's number, without the line's content.
  public var description: String {
    switch reason {
    case .undecodable(let error): "line \(line) can't be decoded: \(error)"
    case .tooLong(let limit): "line \(line) is longer than \(limit) bytes: pass a larger maximumLineLength if its sender is to be trusted"
    }
  }

  /// As `description`.
  public var errorDescription: String? { description }
}

extension AsyncSequence where Element == UInt8 {
  /// The values in these bytes, of which each line is a JSON text: `for try await entry in bytes.jsonLines(of: Entry.self)`.
  ///
  /// An addition to Apple's API.
  /// - Parameters:
  ///   - type: The type of the value in each line.
  ///   - decoder: Decodes each line; it must not be changed meanwhile.
  ///   - maximumLineLength: The largest length of a line in bytes; a longer one ends the sequence with ``URLSessionJSONLineError``. Default: 16 MiB.
  public func jsonLines<Value: Decodable>(
    of type: Value.Type, decoder: JSONDecoder = JSONDecoder(), maximumLineLength: Int = 16 << 20
  ) -> URLSessionJSONLineSequence<Self, Value> {
    URLSessionJSONLineSequence(base: self, decoder: decoder, limit: maximumLineLength)
  }
}
