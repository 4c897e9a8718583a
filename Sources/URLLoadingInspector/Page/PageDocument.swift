#if Inspector
  /// The HTML document of the inspector's page. It contains no inline script and style, which its Content-Security-Policy forbids.
  enum PageDocument {
    /// The Content-Security-Policy of the page: only scripts, styles and connections of the page's own server; no inline scripts or styles, no
    /// frames, and no strings that are turned into markup or script (Trusted Types).
    static let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'; require-trusted-types-for 'script'"

    static func html(title: String) -> String {
      html(
        title: title, head: "<link rel=\"stylesheet\" href=\"page.css\">\n<link rel=\"icon\" href=\"data:,\">",
        tail: "<script src=\"page.js\"></script>")
    }

    /// Builds the document from its parts.
    ///
    /// - Parameters:
    ///   - head: The elements of the head in addition to the title.
    ///   - tail: The elements after the page's content.
    static func html(title: String, head: String, tail: String) -> String {
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      \(head)
      <title>Transfers of \(escaped(title))</title>
      </head>
      <body>
      \(body)
      \(tail)
      </body>
      </html>
      """
    }

    /// The text escaped for HTML content and attribute values.
    static func escaped(_ text: String) -> String {
      var result = ""
      for character in text.unicodeScalars {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.unicodeScalars.append(character)
        }
      }
      return result
    }

    private static let body = #"""
      <header>
        <h1 id="title">Transfers</h1>
        <nav role="tablist" aria-label="View">
          <button type="button" role="tab" id="view-list" aria-selected="true">Transfers</button>
          <button type="button" role="tab" id="view-connections" aria-selected="false">Connections</button>
        </nav>
        <div class="filters" role="search">
          <input type="search" id="filter" placeholder="Filter: text, status:404, host:, type:, method:, slower:500" aria-label="Filter" spellcheck="false" autocomplete="off">
          <label><input type="checkbox" id="only-errors"> Errors</label>
          <label><input type="checkbox" id="only-slow"> Slow</label>
          <label><input type="checkbox" id="only-messages"> Messages</label>
        </div>
        <div class="actions">
          <button type="button" id="pause" aria-pressed="false">Pause</button>
          <button type="button" id="clear">Clear</button>
          <a id="export-har" href="export.har" download>HAR</a>
          <a id="export-jsonl" href="export.jsonl" download>JSON lines</a>
          <a id="export-report" href="report.html" download>Report</a>
        </div>
        <p id="status" role="status" aria-live="polite"></p>
      </header>
      <main>
        <section id="list" aria-label="Transfers">
          <div id="grid" role="grid" aria-label="Transfers" tabindex="0" aria-rowcount="0">
            <div id="columns" role="row"></div>
            <div id="scroll"><div id="space"></div><div id="rows" role="rowgroup"></div></div>
          </div>
          <p id="empty">Nothing has been recorded yet.</p>
        </section>
        <section id="connections" aria-label="Connections" hidden></section>
        <aside id="details" aria-label="Details" hidden>
          <div class="bar">
            <div role="tablist" id="tabs" aria-label="Details"></div>
            <span class="copies">
              <button type="button" id="copy-curl">Copy as curl</button>
              <button type="button" id="copy-swift">Copy as Swift</button>
            </span>
            <button type="button" id="close" aria-label="Close details">✕</button>
          </div>
          <div id="panel" role="tabpanel" tabindex="0"></div>
        </aside>
      </main>
      """#
  }
#endif
