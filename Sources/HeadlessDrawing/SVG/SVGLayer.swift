import Foundation

/// The SVG markup of one drawing operation, with the clip and blend mode that apply to it as a whole.
struct SVGElement {
  var markup: String
  /// The identifier of the `clipPath` in the document; nil if the element isn't clipped.
  var clip: String?
  /// The value of CSS's `mix-blend-mode`; nil for `normal`.
  var blendMode: String?
}

/// The elements that were drawn on one transparency layer or on the document, the bottommost first.
struct SVGLayer {
  var elements: [SVGElement] = []
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal
  /// The identifier of the `clipPath` at the layer's beginning, which applies to the layer as a whole; nil if drawing wasn't clipped.
  var clip: String?

  /// The layer as one element. Its content is blended with each other and not with what is below the layer, as one with an opacity is in any case.
  var group: String {
    let attributes =
      alpha < 1 ? " opacity=\"\(alpha.svg)\"" : elements.contains { $0.blendMode != nil } ? " style=\"isolation:isolate\"" : ""
    return "<g\(attributes)>\n\(markup)</g>"
  }

  /// The layer's elements as SVG text. A clip is set on a group around its elements, because an element's own `transform` would apply to the clip
  /// too; consecutive elements with the same clip share a group. An element with a blend mode has a group of its own with both attributes: a clipped
  /// group is isolated, so that inside of it the element wouldn't be blended with the elements below.
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
