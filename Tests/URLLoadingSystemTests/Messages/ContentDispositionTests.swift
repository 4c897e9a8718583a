import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct ContentDispositionTests {
  @Test(
    arguments: [
      ("ATTACHMENT; FileName=a.txt", "attachment", "a.txt"),
      ("inline", "inline", nil),
      ("", "", nil),
      (";;;=;", "", nil),
      ("attachment; filename = \"a \\\"q\\\" \\\\ b\" ; size=3", "attachment", "a \"q\" \\ b"),
      ("attachment; filename=\"open", "attachment", "open"),
      ("attachment; filename=\"open\\", "attachment", "open\\"),
      ("attachment; filename=first; filename=second", "attachment", "first"),
      ("attachment; x=\"; filename=trap\"; filename=real", "attachment", "real"),
      ("attachment; filename*=UTF-8'en'na%C3%AFve", "attachment", "naïve"),
      ("attachment; filename*=iso-8859-1''%A3%20rates", "attachment", "£ rates"),
      ("attachment; filename*=UTF-8''%ff; filename=plain", "attachment", "plain"),
      ("attachment; filename*=UTF-8''%4; filename=plain", "attachment", "plain"),
      ("attachment; filename*=UTF-8''%zz; filename=plain", "attachment", "plain"),
      ("attachment; filename*=koi8-r''x; filename=plain", "attachment", "plain"),
      ("attachment; aa=bb\\; filename=\"wrong.ext\"; filename=\"right.ext\"; cc=dd\\;", "attachment", "right.ext"),
      ("attachment; filename=a\\;b\\ c\\\\d.txt ; x=y", "attachment", "a;b c\\d.txt"),
      ("attachment; filename=end\\", "attachment", "end\\"),
      ("attachment; filename*=nothing; filename=plain", "attachment", "plain"),
    ] as [(String, String, String?)])
  func fieldIsReadAsRFC6266Says(field: String, type: String, filename: String?) {
    let parsed = ContentDisposition(field)
    #expect(parsed.type == type)
    #expect(parsed.filename == filename)
  }
}
