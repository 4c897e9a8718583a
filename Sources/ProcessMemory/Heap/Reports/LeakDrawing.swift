/// Writes the leaked blocks as a graph in Graphviz's language (dot), with an arrow for each reference. Retain cycles are red, weak and unowned
/// references dashed.
struct LeakDrawing {
  let graph: LeakGraph
  let scan: ReferenceScan
  let naming: BlockNaming

  var text: String {
    var lines = ["digraph leaks {", "  node [shape=box, fontname=\"monospace\"];"]
    for (position, block) in graph.blocks.enumerated() {
      let isInCycle = graph.isCycle(graph.components[graph.componentOf[position]])
      let label = "\(naming.name(block).name)\n\(scan.blocks.size(block)) bytes"
      lines.append("  b\(position) [label=\(LeakDrawing.quoted(label))\(isInCycle ? ", color=red" : "")];")
    }
    for (position, edges) in graph.edges.enumerated() {
      for edge in edges {
        let isInCycle = edge.isStrong && graph.componentOf[position] == graph.componentOf[edge.target]
        let style = isInCycle ? ", color=red" : edge.isStrong ? "" : ", style=dashed"
        lines.append("  b\(position) -> b\(edge.target) [label=\(LeakDrawing.quoted(edge.name))\(style)];")
      }
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
  }
}
