import Glibc

/// From the command line to an exit code (docs/ctl.md, Exit codes).
enum Program {
  static let version = "0.1.0"

  @concurrent static func run() async -> CInt {
    do throws(Problem) {
      try await run(CommandLine.arguments)
      return ExitCode.done
    } catch {
      if let line = error.line { Output.complain(line) }
      return ExitCode.of(error)
    }
  }

  private static func run(_ arguments: [String]) async throws(Problem) {
    let words = try asUsage { () throws(UsageError) in try Words(arguments) }
    if words.values[.version] != nil { return try Output().line("energykitctl \(version)") }
    if words.values[.help] != nil { return try Output().line(help(words.words)) }
    let (command, given) = try asUsage { () throws(UsageError) in try prepare(words) }
    let session = try Session(
      try Connection(given, environment: { getenv($0).map { String(cString: $0) } }), isJSON: given.isGiven(.json))
    do throws(Problem) {
      try await command.run(session)
    } catch {
      await session.end()
      throw error
    }
    await session.end()
  }

  /// The command that the words name, and what it was given.
  static func prepare(_ words: Words) throws(UsageError) -> (command: any Command, given: Arguments) {
    guard !words.words.isEmpty else { throw UsageError("a command is needed; see --help") }
    guard let (type, operands) = Commands.find(words.words) else {
      let known = Commands.beginning(with: Array(words.words.prefix(1))).map {
        "\"\($0.words.joined(separator: " "))\""
      }
      let name = "\"\(words.words.joined(separator: " "))\""
      throw UsageError(
        known.isEmpty
          ? "\(name) is no command; see --help" : "\(name) is no command; there are \(known.joined(separator: ", "))")
    }
    let name = type.words.joined(separator: " ")
    let allowed = Set(type.flags + Flag.common)
    for flag in Flag.allCases where words.values[flag] != nil && !allowed.contains(flag) {
      throw UsageError("--\(flag.rawValue) does not belong to \"\(name)\"; see energykitctl \(name) --help")
    }
    let least = type.operands.filter { !$0.hasPrefix("[") }.count
    guard (least...max(least, type.operands.count)).contains(operands.count) else {
      throw UsageError("\"\(name)\" takes \(type.operands.joined(separator: " ").orNothing); usage: \(type.usage)")
    }
    let given = Arguments(operands: operands, values: words.values)
    return (try type.init(given), given)
  }

  private static func help(_ words: [String]) -> String {
    if let (command, _) = Commands.find(words) { return command.helpText }
    let several = words.isEmpty ? [] : Commands.beginning(with: words)
    return several.isEmpty ? Help.text : Help.summaries(several).joined(separator: "\n")
  }

  private static func asUsage<Value>(_ body: () throws(UsageError) -> Value) throws(Problem) -> Value {
    do throws(UsageError) {
      return try body()
    } catch {
      throw .usage(error)
    }
  }
}

extension String {
  fileprivate var orNothing: String { isEmpty ? "nothing" : self }
}
