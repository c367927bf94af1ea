/// Numbers as feeds write them.
enum NumberText {
  enum Reading: Hashable {
    case number(Double)
    /// Empty, `NaN`, `null`, `NA` and the like: never zero.
    case missing
    case invalid
  }

  /// Thousands commas are accepted, infinity is not.
  static func read(_ text: String) -> Reading {
    switch text.lowercased() {
    case "", "nan", "null", "na", "n/a", "none", "-": return .missing
    default: break
    }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isPlain, hasSoundThousands(text), let value = Double(text.filter { $0 != "," }), value.isFinite else {
      return .invalid
    }
    return .number(value)
  }

  /// Commas only before groups of three digits, so that a decimal comma is not taken for one of thousands.
  private static func hasSoundThousands(_ text: String) -> Bool {
    let groups = text.prefix { $0 != "." }.split(separator: ",", omittingEmptySubsequences: false)
    guard groups.count > 1 else { return !text.contains(",") }
    return groups.dropFirst().allSatisfy { $0.count == 3 && $0.allSatisfy(\.isNumber) }
      && (1...3).contains(groups[0].count { $0.isNumber })
  }
}
