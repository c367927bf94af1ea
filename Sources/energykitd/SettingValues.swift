/// What was set, from all sources: the command line wins over the environment, which wins over the file.
struct SettingValues {
  private var values: [Setting: [String]] = [:]

  init(arguments: [String], environment: [String: String], readFile: (String) -> String?) throws(UsageError) {
    let commandLine = try Self.parse(arguments: arguments)
    let variables = Self.parse(environment: environment)
    if let path = (commandLine[.config] ?? environment[Setting.config.environmentName].map { [$0] })?.last {
      guard let text = readFile(path) else { throw UsageError("--config \(path): cannot be read") }
      values = try Self.parse(file: text, path: path)
    }
    values.merge(variables) { _, newer in newer }
    values.merge(commandLine) { _, newer in newer }
  }

  subscript(setting: Setting) -> String? { values[setting]?.last }
  func all(_ setting: Setting) -> [String] { values[setting] ?? [] }

  func isOn(_ setting: Setting) throws(UsageError) -> Bool {
    switch self[setting] {
    case nil, "no", "false", "0": return false
    case "", "yes", "true", "1": return true
    case .some(let other): throw UsageError("\(setting.rawValue): expected yes or no, not \"\(other)\"")
    }
  }

  func integer(_ setting: Setting, in range: ClosedRange<Int>, default fallback: Int) throws(UsageError) -> Int {
    guard let text = self[setting] else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(setting.rawValue): expected a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\""
      )
    }
    return number
  }

  // MARK: Sources

  private static func parse(arguments: [String]) throws(UsageError) -> [Setting: [String]] {
    var values: [Setting: [String]] = [:]
    for (setting, value) in try CommandLineFlags(arguments).flags {
      if !setting.isRepeatable, values[setting] != nil { throw UsageError("--\(setting.rawValue) is given twice") }
      values[setting, default: []].append(value)
    }
    return values
  }

  private static func parse(environment: [String: String]) -> [Setting: [String]] {
    var values: [Setting: [String]] = [:]
    for setting in Setting.allCases where setting.isPersistent {
      guard let text = environment[setting.environmentName] else { continue }
      values[setting] = setting.isRepeatable ? text.split(separator: " ").map(String.init) : [text]
    }
    return values
  }

  private static func parse(file text: String, path: String) throws(UsageError) -> [Setting: [String]] {
    var values: [Setting: [String]] = [:]
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = trimmed(raw.prefix { $0 != "#" })
      if line.isEmpty { continue }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw UsageError("\(path):\(index + 1): expected `name = value`") }
      guard let setting = Setting(rawValue: trimmed(parts[0])), setting.isPersistent else {
        throw UsageError("\(path):\(index + 1): unknown setting \"\(trimmed(parts[0]))\"")
      }
      if !setting.isRepeatable, values[setting] != nil {
        throw UsageError("\(path):\(index + 1): \(setting.rawValue) is set twice")
      }
      values[setting, default: []].append(trimmed(parts[1]))
    }
    return values
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(String(start.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }).reversed())
  }
}
