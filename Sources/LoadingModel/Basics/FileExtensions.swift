/// The usual file name extensions of common MIME types.
package enum FileExtensions {
  /// The extension to give a file of this type, without a dot; nil for types that say nothing, such as `application/octet-stream`.
  package static func preferred(forMIMEType type: String) -> String? { byType[type] }

  /// The type to assume for a file with this extension; nil if unknown. Letter case doesn't count.
  package static func mimeType(forExtension fileExtension: String) -> String? { byExtension[fileExtension.lowercased()] }

  private static let byType: [String: String] = Dictionary(
    pairs.map { ($0.type, $0.fileExtension) }, uniquingKeysWith: { first, _ in first })
  private static let byExtension: [String: String] = Dictionary(
    pairs.map { ($0.fileExtension, $0.type) }, uniquingKeysWith: { first, _ in first })

  /// MIME types with their extensions. For a type or extension that occurs more than once, the first pair counts.
  private static let pairs: [(type: String, fileExtension: String)] = table.split(separator: "\n").flatMap { line in
    let words = line.split(separator: " ").map(String.init)
    return words.dropFirst().map { (words[0], $0) }
  }

  private static let table = """
    text/html html htm
    text/plain txt text log
    text/css css
    text/csv csv
    text/javascript js mjs
    text/markdown md markdown
    text/xml xml
    text/calendar ics
    text/vcard vcf
    text/rtf rtf
    application/json json
    application/ld+json jsonld
    application/geo+json geojson
    application/xml xml
    application/xhtml+xml xhtml
    application/rss+xml rss
    application/atom+xml atom
    application/javascript js
    application/wasm wasm
    application/yaml yaml yml
    application/pdf pdf
    application/postscript ps
    application/rtf rtf
    application/epub+zip epub
    application/msword doc
    application/vnd.ms-excel xls
    application/vnd.ms-powerpoint ppt
    application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
    application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
    application/vnd.oasis.opendocument.text odt
    application/vnd.oasis.opendocument.spreadsheet ods
    application/zip zip
    application/gzip gz
    application/x-gzip gz
    application/x-tar tar
    application/x-bzip2 bz2
    application/x-xz xz
    application/zstd zst
    application/x-7z-compressed 7z
    application/vnd.rar rar
    application/x-sh sh
    application/java-archive jar
    application/x-apple-diskimage dmg
    application/x-plist plist
    application/sql sql
    application/vnd.apple.mpegurl m3u8
    font/woff woff
    font/woff2 woff2
    font/ttf ttf
    font/otf otf
    image/png png
    image/jpeg jpeg jpg
    image/gif gif
    image/webp webp
    image/avif avif
    image/heic heic
    image/svg+xml svg
    image/tiff tiff tif
    image/bmp bmp
    image/x-icon ico
    image/vnd.microsoft.icon ico
    image/jxl jxl
    audio/mpeg mp3
    audio/mp4 m4a
    audio/aac aac
    audio/wav wav
    audio/x-wav wav
    audio/flac flac
    audio/ogg ogg oga
    audio/opus opus
    audio/webm weba
    video/mp4 mp4
    video/mpeg mpeg mpg
    video/webm webm
    video/quicktime mov
    video/ogg ogv
    video/x-msvideo avi
    video/x-matroska mkv
    """
}
