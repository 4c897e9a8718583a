import Foundation

/// A task that delivers a resource as data.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}  // @unchecked: stores nothing; subclasses answer for what they add.
