import EnergyModel
import EnergyWire
import FoundationEssentials

/// The operands and flags of one command.
struct Arguments {
  let operands: [String]
  let values: [Flag: [String]]

  subscript(flag: Flag) -> String? { values[flag]?.last }
  func isGiven(_ flag: Flag) -> Bool { values[flag] != nil }

  /// An operand that the command line has, since their number was checked.
  func operand(_ index: Int) -> String { operands.indices.contains(index) ? operands[index] : "" }

  func id(operand index: Int, _ what: String) throws(UsageError) -> UUID {
    try Self.uuid(operand(index), what)
  }

  func id(_ flag: Flag) throws(UsageError) -> UUID? {
    guard let text = self[flag] else { return nil }
    return try Self.uuid(text, "--\(flag.rawValue)")
  }

  func onOff(_ flag: Flag) throws(UsageError) -> Bool? {
    switch self[flag] {
    case nil: return nil
    case "on", "yes": return true
    case "off", "no": return false
    case .some(let other): throw UsageError("--\(flag.rawValue): expected on or off, not \"\(other)\"")
    }
  }

  func integer(_ flag: Flag, in range: ClosedRange<Int>, default fallback: Int) throws(UsageError) -> Int {
    guard let text = self[flag] else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(flag.rawValue): expected a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  func duration(_ flag: Flag) throws(UsageError) -> Int? {
    guard let text = self[flag] else { return nil }
    guard let seconds = DurationText.seconds(text) else {
      throw UsageError("--\(flag.rawValue): expected a time like 2h, 90m, 1h30m or 5400 (seconds), not \"\(text)\"")
    }
    return seconds
  }

  func action() throws(UsageError) -> SuggestedAction {
    switch self[.action] {
    case nil, "shift": return .shift
    case "reduce": return .reduce
    case .some(let other): throw UsageError("--action: expected shift or reduce, not \"\(other)\"")
    }
  }

  func place() throws(UsageError) -> Contract.Place? {
    guard let text = self[.location] else { return nil }
    guard let place = Contract.Place(text) else {
      throw UsageError("--location: expected degrees north and east like 37.77,-122.42, not \"\(text)\"")
    }
    return place
  }

  /// `nil` where none are named.
  func entitlements() throws(UsageError) -> Set<Entitlement>? {
    if isGiven(.noEntitlements) {
      guard !isGiven(.entitlement) else { throw UsageError("--entitlement and --no-entitlements exclude each other") }
      return []
    }
    guard let names = values[.entitlement] else { return nil }
    var entitlements: Set<Entitlement> = []
    for name in names {
      switch name {
      case "base": entitlements.insert(.energyKit)
      case "load-events": entitlements.insert(.loadEventsExperience)
      case "all": entitlements.formUnion(Entitlement.allCases)
      case _: throw UsageError("--entitlement: expected base, load-events or all, not \"\(name)\"")
      }
    }
    return entitlements
  }

  private static func uuid(_ text: String, _ what: String) throws(UsageError) -> UUID {
    guard let id = UUID(text: text) else { throw UsageError("\(what): expected a UUID, not \"\(text)\"") }
    return id
  }
}

extension Contract.Place {
  /// `LAT,LON`; whether the numbers make sense is the server's to say.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Self.number(parts[0]), let longitude = Self.number(parts[1]) else {
      return nil
    }
    self.init(latitude: latitude, longitude: longitude)
  }

  private static func number(_ text: Substring) -> Double? {
    let trimmed = text.drop { $0 == " " }
    guard let number = Double(trimmed), number.isFinite else { return nil }
    return number
  }
}

/// Times to wait or run, as people write them.
enum DurationText {
  /// `2h`, `90m`, `1h30m`, `45s`, `1d`, or seconds alone; `nil` for anything else, 0 and more than ten years.
  static func seconds(_ text: String) -> Int? {
    if let seconds = Int(text) { return bounded(seconds) }
    var total = 0
    var digits = ""
    for character in text {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      guard let unit = units[character], let number = Int(digits), number <= limit else { return nil }
      total += number * unit
      guard total <= limit else { return nil }
      digits = ""
    }
    return digits.isEmpty ? bounded(total) : nil
  }

  /// `1 h 30 min`.
  static func text(_ seconds: Int) -> String {
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    let words = parts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
    return words.isEmpty ? "0 s" : words.joined(separator: " ")
  }

  private static let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
  private static let limit = 10 * 366 * 86_400
  private static func bounded(_ seconds: Int) -> Int? { (1...limit).contains(seconds) ? seconds : nil }
}
