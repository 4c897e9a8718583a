#if TestKit
  import Foundation

  /// A relay's conduct, what it has done, and its chance. Changed by tests and on the relay's event loop.
  final class RelayState: Sendable {
    /// What is to be done with one datagram.
    enum Fate: Sendable {
      case pass, lose, double
      /// It passes behind so many others.
      case hold(Int)
      /// This byte is changed, counted from the start and modulo the length.
      case corrupt(Int)
    }

    enum Direction: Sendable {
      case toServer, toClient
    }

    struct Values: Sendable {
      var conduct: DatagramRelay.Conduct
      var counts = DatagramRelay.Counts()
      var chance: UInt64

      /// SplitMix64.
      mutating func next() -> UInt64 {
        chance &+= 0x9E37_79B9_7F4A_7C15
        var value = chance
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
      }

      mutating func happens(_ fraction: Double) -> Bool {
        fraction > 0 && Double(next() >> 11) / Double(1 << 53) < fraction
      }
    }

    let values: Watched<Values>

    init(_ conduct: DatagramRelay.Conduct, seed: UInt64) { values = Watched(Values(conduct: conduct, chance: seed)) }

    /// Decides about a datagram that has come.
    func decide(_ direction: Direction) -> Fate {
      values.update { values in
        switch direction {
        case .toServer: values.counts.fromClients += 1
        case .toClient: values.counts.fromServer += 1
        }
        let conduct = values.conduct
        if conduct.isBlackhole || values.happens(conduct.loss) {
          values.counts.lost += 1
          return .lose
        }
        if values.happens(conduct.duplication) {
          values.counts.duplicated += 1
          return .double
        }
        if values.happens(conduct.reordering) {
          values.counts.reordered += 1
          return .hold(1 + Int(values.next() % 4))
        }
        if values.happens(conduct.corruption) {
          values.counts.corrupted += 1
          return .corrupt(Int(values.next() % 1500))
        }
        return .pass
      }
    }

    func rebound() { values.update { $0.counts.rebinds += 1 } }
  }
#endif
