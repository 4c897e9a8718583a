/// One combination: a value in each dimension. Made without values, it is the plainest.
struct Case: Sendable, Equatable {
  var work = Work.data
  var interface = Interface.sessionDelegate
  var wire = Wire.plain
  var way = Way.direct
  var size = Size.small
  var conduct = Conduct.answers
  /// The server does it once for each task; afterwards it answers well.
  var isOnce = Toggle.no
  var login = Login.none
  var certificate = Certificate.none
  var answer = Answer.right
  var redirect = RedirectAnswer.follows
  var action = Action.none
  var moment = Moment.resumed
  var source = Source.whole
  var keeping = Keeping.nothing
  var tasks = Count.one
  var connections = Connections.usual
  /// How many turns of the scheduler the app takes for a late answer, and from a moment to what it does then.
  var turns = Turns.few
  var around = Around.none

  enum Toggle: String, CaseIterable, Sendable { case no, yes }

  enum Count: String, CaseIterable, Sendable {
    case one, two, five
    var number: Int { self == .one ? 1 : self == .two ? 2 : 5 }
  }

  enum Connections: String, CaseIterable, Sendable {
    case usual, one
    var number: Int { self == .usual ? 6 : 1 }
  }

  enum Turns: String, CaseIterable, Sendable {
    case few, none, some, many
    var number: Int {
      switch self {
      case .few: 3
      case .none: 0
      case .some: 25
      case .many: 150
      }
    }
  }

  /// The case of a seed.
  init(seed: UInt64) {
    var draw = Draw(seed: seed)
    for dimension in Case.dimensions { dimension.draw(&self, &draw) }
    self = possible()
  }

  init() {}
}

extension Case {
  /// A dimension, whatever its values are.
  struct Dimension: Sendable {
    let name: String
    let draw: @Sendable (inout Case, inout Draw) -> Void
    let text: @Sendable (Case) -> String
    /// Sets the value of this name; false if there is none.
    let set: @Sendable (inout Case, String) -> Bool
    let plain: String

    /// - Parameter plainOneIn: How rarely the plain value is drawn in addition to its equal chance: 1 for always, 0 for never.
    init<Value: CaseIterable & RawRepresentable & Sendable>(
      _ name: String, _ path: any WritableKeyPath<Case, Value> & Sendable, plainOneIn: Int = 0
    ) where Value.RawValue == String {
      self.name = name
      let all = Array(Value.allCases)
      plain = all[0].rawValue
      draw = { value, draw in
        let isPlain = plainOneIn > 0 && draw.happens(oneIn: plainOneIn)
        let choice = all[draw.below(all.count)]
        value[keyPath: path] = isPlain ? all[0] : choice
      }
      text = { $0[keyPath: path].rawValue }
      set = { value, text in
        guard let known = Value(rawValue: text) else { return false }
        value[keyPath: path] = known
        return true
      }
    }
  }

  static let dimensions: [Dimension] = [
    Dimension("work", \.work), Dimension("interface", \.interface), Dimension("wire", \.wire), Dimension("way", \.way, plainOneIn: 2),
    Dimension("size", \.size), Dimension("conduct", \.conduct, plainOneIn: 4), Dimension("isOnce", \.isOnce),
    Dimension("login", \.login, plainOneIn: 2), Dimension("certificate", \.certificate, plainOneIn: 2),
    Dimension("answer", \.answer, plainOneIn: 2), Dimension("redirect", \.redirect), Dimension("action", \.action, plainOneIn: 3),
    Dimension("moment", \.moment), Dimension("source", \.source, plainOneIn: 2), Dimension("keeping", \.keeping),
    Dimension("tasks", \.tasks), Dimension("connections", \.connections), Dimension("turns", \.turns),
    Dimension("around", \.around, plainOneIn: 2),
  ]
}

extension Case: CustomStringConvertible {
  /// The values that aren't plain, as `init(_:)` reads them.
  var description: String {
    let special = Case.dimensions.filter { $0.text(self) != $0.plain }
    return special.isEmpty ? "plain" : special.map { "\($0.name)=\($0.text(self))" }.joined(separator: ",")
  }

  /// The case that `description` describes; nil if it is none.
  init?(_ description: String) {
    self.init()
    guard description != "plain" else { return }
    for part in description.split(separator: ",") {
      let pair = part.split(separator: "=").map(String.init)
      guard pair.count == 2, let dimension = Case.dimensions.first(where: { $0.name == pair[0] }), dimension.set(&self, pair[1]) else {
        return nil
      }
    }
    self = possible()
  }
}
