import Foundation

/// A task that delivers a resource as data.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that reads and writes a TCP connection.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}
