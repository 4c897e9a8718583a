import Foundation

/// What `run` has measured, as far as the picture shows it.
struct Figures {
  struct Panel {
    let scenario: String
    let title: String
    let subtitle: String
  }

  struct Bar {
    let client: String
    let label: String
  }

  private struct Row: Decodable {
    let scenario: String
    let client: String
    let cpu_us_per_request: Double?
  }

  private static let allPanels = [
    Panel(scenario: "h1-1k-c64", title: "HTTP/1.1", subtitle: "64 requests at once"),
    Panel(scenario: "tls-1k-c64", title: "HTTPS", subtitle: "TLS 1.3, 64 requests at once"),
    Panel(scenario: "h2-1k-c64", title: "HTTP/2", subtitle: "64 requests at once, one connection"),
    Panel(scenario: "cold-1k", title: "New connections", subtitle: "one for each request"),
  ]
  /// The first is this project's.
  private static let allBars = [
    Bar(client: "ours-async", label: "URLLoadingSystem"), Bar(client: "libcurl-multi", label: "libcurl"),
    Bar(client: "go", label: "Go net/http"), Bar(client: "async-http-client", label: "AsyncHTTPClient"),
    Bar(client: "foundation-networking", label: "FoundationNetworking"),
  ]

  /// Microseconds by scenario and client.
  private let values: [String: [String: Double]]
  /// Those with a figure of this project's.
  let panels: [Panel]
  /// Those of clients that were measured in one of the panels: each panel has the same, at the same places.
  let bars: [Bar]

  /// - Parameter data: `results/latest.json`.
  init(_ data: Data) throws {
    var values: [String: [String: Double]] = [:]
    for row in try JSONDecoder().decode([Row].self, from: data) { values[row.scenario, default: [:]][row.client] = row.cpu_us_per_request }
    let panels = Figures.allPanels.filter { values[$0.scenario]?[Figures.allBars[0].client] != nil }
    self.values = values
    self.panels = panels
    bars = Figures.allBars.filter { bar in panels.contains { values[$0.scenario]?[bar.client] != nil } }
  }

  func value(_ panel: Panel, _ bar: Bar) -> Double? { values[panel.scenario]?[bar.client] }

  /// The value of a whole bar: the largest, or, where that would leave all others stubs, a little more than the second.
  func scale(_ panel: Panel) -> Double {
    let ordered = bars.compactMap { value(panel, $0) }.sorted(by: >)
    guard let largest = ordered.first, largest > 0 else { return 1 }
    return ordered.count > 1 && largest > 3 * ordered[1] ? ordered[1] * 1.25 : largest
  }

  static func text(_ microseconds: Double) -> String { String(format: microseconds >= 100 ? "%.0f µs" : "%.1f µs", microseconds) }

  /// The same figures in words, for readers who don't see the picture.
  var description: String {
    panels.map { panel in
      let clients = bars.compactMap { bar in value(panel, bar).map { "\(bar.label) \(Figures.text($0))" } }
      return "\(panel.title), \(panel.subtitle): \(clients.joined(separator: ", "))."
    }.joined(separator: " ")
  }
}
