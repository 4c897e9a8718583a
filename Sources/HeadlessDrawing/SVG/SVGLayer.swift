import Foundation

/// Something that was drawn, with what applies to it as a whole.
struct SVGElement {
  var markup: String
  /// The identifier of its clip.
  var clip: String?
  /// The value of `mix-blend-mode`; nil for `normal`.
  var blendMode: String?
}

/// What was drawn on a layer, from below.
struct SVGLayer {
  var elements: [SVGElement] = []
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal

  /// The elements as text. Clips are set on groups around the elements, as an element's own transform would apply to them; neighbors with
  /// the same clip share a group. So are blend modes, as a group with a clip would keep what is below it from what is in it.
  var markup: String {
    var text = ""
    var index = 0
    while index < elements.count {
      let first = elements[index]
      var end = index + 1
      if first.blendMode == nil {
        while end < elements.count, elements[end].clip == first.clip, elements[end].blendMode == nil { end += 1 }
      }
      let inner = elements[index..<end].map { $0.markup + "\n" }.joined()
      let attributes =
        (first.clip.map { " clip-path=\"url(#\($0))\"" } ?? "") + (first.blendMode.map { " style=\"mix-blend-mode:\($0)\"" } ?? "")
      text += attributes.isEmpty ? inner : "<g\(attributes)>\n\(inner)</g>\n"
      index = end
    }
    return text
  }
}
