#if TestKit
  import Foundation

  /// The conduct, the counts and the random number generator of a relay. Tests change the conduct, the relay's event loop the rest.
  final class RelayState: Sendable {
    /// The decision about one datagram.
    enum Fate: Sendable {
      case pass, lose, double
      /// It is sent after this many later datagrams of its direction.
      case hold(Int)
      /// One of its bytes is changed: the one with this index, modulo the datagram's length.
      case corrupt(Int)
    }

    enum Direction: Sendable {
      case toServer, toClient
    }

    struct Values: Sendable {
      var conduct: DatagramRelay.Conduct
      var counts = DatagramRelay.Counts()
      var chance: UInt64

      /// The next random number, by the algorithm SplitMix64.
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

    /// Decides about a datagram that has been received, and counts it.
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
