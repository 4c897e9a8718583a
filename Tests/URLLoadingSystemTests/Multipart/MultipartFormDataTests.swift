import Foundation
import Testing

@testable import URLLoadingSystem

struct MultipartFormDataTests {
  /// Runs `body` with a folder that is removed afterwards.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "form-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// What a form sends, read in pieces of `size` bytes.
  private func content(_ form: URLSessionMultipartFormData, by size: Int = 7) throws -> String {
    let stream = form.makeInputStream()
    stream.open()
    defer { stream.close() }
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: size)
    while true {
      let count = stream.read(&buffer, maxLength: size)
      if count < 0 { throw try #require(stream.streamError) }
      guard count > 0 else { break }
      content.append(contentsOf: buffer[..<count])
    }
    #expect(Int64(content.count) == form.contentLength)
    return String(decoding: content, as: UTF8.self)
  }

  @Test func bytesAreThoseOfTheStandard() throws {
    try withFolder { folder in
      let file = folder.appending(path: "notes.txt")
      try Data("file content".utf8).write(to: file)
      var form = try #require(URLSessionMultipartFormData(boundary: "AaB03x"))
      form.append("Larry", name: "submit-name")
      form.append(Data("{}".utf8), name: "meta", contentType: "application/json")
      form.append(Data("raw".utf8), name: "blob", filename: "blob")
      try form.append(file: file, name: "files")
      let expected = """
        --AaB03x
        Content-Disposition: form-data; name="submit-name"

        Larry
        --AaB03x
        Content-Disposition: form-data; name="meta"
        Content-Type: application/json

        {}
        --AaB03x
        Content-Disposition: form-data; name="blob"; filename="blob"
        Content-Type: application/octet-stream

        raw
        --AaB03x
        Content-Disposition: form-data; name="files"; filename="notes.txt"
        Content-Type: text/plain

        file content
        --AaB03x--

        """
      for size in [1, 7, 10_000] { #expect(try content(form, by: size) == expected.replacing("\n", with: "\r\n")) }
      #expect(form.contentType == "multipart/form-data; boundary=AaB03x")
    }
  }

  @Test func emptyFormIsItsEndAlone() throws {
    let form = try #require(URLSessionMultipartFormData(boundary: "b"))
    #expect(try content(form) == "--b--\r\n")
  }

  @Test func largeAndEmptyPartsAreKept() throws {
    var form = try #require(URLSessionMultipartFormData(boundary: "b"))
    let large = String(repeating: "0123456789", count: 20_000)
    form.append("", name: "empty")
    form.append(large, name: "large")
    form.append("c", name: "last")
    let parts = ["empty": "", "large": large, "last": "c"]
    let expected = ["empty", "large", "last"].map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\(parts[$0] ?? "")\r\n" }
    #expect(try content(form, by: 1 << 20) == expected.joined() + "--b--\r\n")
  }

  @Test(
    arguments: [
      ("a\"b", "a%22b"), ("a\nb", "a%0D%0Ab"), ("a\rb", "a%0D%0Ab"), ("a\r\nb", "a%0D%0Ab"),
      ("a\n\rb", "a%0D%0A%0D%0Ab"), ("a\r\r\nb", "a%0D%0A%0D%0Ab"), ("ä b;\\%", "ä b;\\%"),
    ])
  func namesAreEscapedAsInBrowsers(name: String, expected: String) throws {
    var form = try #require(URLSessionMultipartFormData(boundary: "b"))
    form.append("", name: name)
    #expect(try content(form).contains("name=\"\(expected)\"\r\n"))
  }

  /// In time that grows with the length: copied at each escape, this name would take hours.
  @Test(.timeLimit(.minutes(10))) func longNameIsEscaped() {
    var form = URLSessionMultipartFormData()
    let empty = form.contentLength
    form.append(Data(), name: String(repeating: "\"\n", count: 500_000))
    #expect(form.contentLength > empty + 500_000 * 9)
  }

  @Test(arguments: [("a\"b", "a%22b"), ("a\nb", "a%0Ab"), ("a\r\nb", "a%0D%0Ab"), ("日本.txt", "日本.txt")])
  func filenamesAreEscapedAsInBrowsers(name: String, expected: String) throws {
    var form = try #require(URLSessionMultipartFormData(boundary: "b"))
    form.append(Data(), name: "n", filename: name)
    #expect(try content(form).contains("; filename=\"\(expected)\"\r\n"))
  }

  @Test(arguments: ["text/plain\r\nX-Injected: 1", "", "a\0b", "ä"]) func typesThatAreNoFieldValuesAreNotSent(type: String) throws {
    var form = try #require(URLSessionMultipartFormData(boundary: "b"))
    form.append(Data(), name: "n", filename: "f", contentType: type)
    #expect(try content(form).contains("filename=\"f\"\r\nContent-Type: application/octet-stream\r\n\r\n"))
    var field = try #require(URLSessionMultipartFormData(boundary: "b"))
    field.append(Data(), name: "n", contentType: type)
    #expect(try content(field).contains("name=\"n\"\r\n\r\n"))
  }

  @Test func boundaryIsValidated() throws {
    for boundary in ["", " ", "a ", "a\r\n", "ä", "a\"", String(repeating: "a", count: 71)] {
      #expect(URLSessionMultipartFormData(boundary: boundary) == nil)
    }
    #expect(URLSessionMultipartFormData(boundary: String(repeating: "a", count: 70)) != nil)
    #expect(URLSessionMultipartFormData(boundary: "a b")?.contentType == "multipart/form-data; boundary=\"a b\"")
    #expect(URLSessionMultipartFormData(boundary: "a:b")?.contentType == "multipart/form-data; boundary=\"a:b\"")
    let (first, second) = (URLSessionMultipartFormData(), URLSessionMultipartFormData())
    #expect(first.boundary != second.boundary)
    #expect(URLSessionMultipartFormData(boundary: first.boundary) != nil)
  }

  @Test func filesThatAreNoneAreErrors() throws {
    try withFolder { folder in
      var form = URLSessionMultipartFormData()
      let missing = #expect(throws: URLError.self) { try form.append(file: folder.appending(path: "missing"), name: "n") }
      #expect(missing?.code == .fileDoesNotExist)
      let directory = #expect(throws: URLError.self) { try form.append(file: folder, name: "n") }
      #expect(directory?.code == .fileIsDirectory)
      let remote = try #require(URL(string: "https://example.com/file"))
      let other = #expect(throws: URLError.self) { try form.append(file: remote, name: "n") }
      #expect(other?.code == .cannotOpenFile)
      #expect(form.contentLength == Int64(form.boundary.utf8.count + 6))
    }
  }

  @Test func streamOfAChangedFileFails() throws {
    try withFolder { folder in
      let file = folder.appending(path: "f")
      try Data("1234".utf8).write(to: file)
      var form = URLSessionMultipartFormData()
      try form.append(file: file, name: "n")
      try Data("12345".utf8).write(to: file)
      let error = #expect(throws: URLError.self) { try content(form) }
      #expect(error?.code == .requestBodyStreamExhausted)
    }
  }
}
