/// Makes a case that fails as plain as it can be and still fail.
struct Shrink: Sendable {
  /// How often a plainer case is tried before it counts as one that holds: some fail only at times.
  let attempts: Int
  let fails: @Sendable (Case) async -> Bool

  func smallest(of failing: Case) async -> Case {
    var best = failing
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for dimension in Case.dimensions where dimension.text(best) != dimension.plain {
        var plainer = best
        guard dimension.set(&plainer, dimension.plain) else { continue }
        plainer = plainer.possible()
        guard plainer.specialities < best.specialities, await doesFail(plainer) else { continue }
        best = plainer
        hasChanged = true
      }
    }
    return best
  }

  private func doesFail(_ chosen: Case) async -> Bool {
    for _ in 0..<attempts where await fails(chosen) { return true }
    return false
  }
}

extension Case {
  /// In how many dimensions it isn't plain.
  var specialities: Int { Case.dimensions.count { $0.text(self) != $0.plain } }
}
