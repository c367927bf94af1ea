/// Something that the program can do.
protocol Command {
  /// How it is called: `client create`.
  static var words: [String] { get }
  /// What stands for its operands in the help; those in brackets may be left out.
  static var operands: [String] { get }
  /// Beside those that every command takes.
  static var flags: [Flag] { get }
  /// One sentence.
  static var summary: String { get }
  /// Lines under the flags in its help.
  static var notes: [String] { get }

  init(_ arguments: Arguments) throws(UsageError)
  func run(_ session: Session) async throws(Problem)
}

extension Command {
  static var operands: [String] { [] }
  static var flags: [Flag] { [] }
  static var notes: [String] { [] }

  static var usage: String { (["energykitctl"] + words + operands).joined(separator: " ") }

  static var helpText: String {
    var lines = ["usage: \(usage)\(flags.isEmpty ? "" : " [flags]")", "", summary]
    if !flags.isEmpty { lines += [""] + Help.lines(flags) }
    if !notes.isEmpty { lines += [""] + notes }
    lines += ["", "The flags for address, keys, TLS and output are those of every command: energykitctl --help."]
    return lines.joined(separator: "\n")
  }
}

/// All commands, in the order of the help.
enum Commands {
  static var all: [any Command.Type] {
    [
      VenuesCommand.self, VenueCommand.self, GuidanceCommand.self, PlanCommand.self, SubmitCommand.self,
      ClientListCommand.self, ClientGetCommand.self, ClientCreateCommand.self, ClientUpdateCommand.self,
      ClientDeleteCommand.self, ClientRotateKeyCommand.self,
      VenueListCommand.self, VenueGetCommand.self, VenueCreateCommand.self, VenueUpdateCommand.self,
      VenueDeleteCommand.self, AccessListCommand.self, AccessSetCommand.self, DeviceDeleteCommand.self,
      PublishCommand.self, RegionsCommand.self, RegionCommand.self,
    ]
  }

  /// The command that begins with most of the words, and the words behind it. Those for the operator may have `admin`
  /// before them.
  static func find(_ words: [String]) -> (command: any Command.Type, operands: [String])? {
    let words = words.first == "admin" ? Array(words.dropFirst()) : words
    let command = all.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
    return command.map { ($0, Array(words.dropFirst($0.words.count))) }
  }

  /// Those that begin with these words: `client` stands for all of a client's.
  static func beginning(with words: [String]) -> [any Command.Type] {
    let words = words.first == "admin" ? Array(words.dropFirst()) : words
    return all.filter { $0.words.starts(with: words) }
  }
}

enum Help {
  static var text: String {
    var lines = ["usage: energykitctl COMMAND [flags]", "", "What a client may do:"]
    lines += summaries(Commands.all.prefix(5))
    lines += ["", "For the operator (`admin` may stand before these):"]
    lines += summaries(Commands.all.dropFirst(5))
    lines += ["", "`energykitctl COMMAND --help` says more. Flags of every command:", ""] + Help.lines(Flag.common)
    lines += [
      "",
      "What the command line says wins over demo.json, which wins over the environment. Keys are never taken from the",
      "command line, where every process of the machine could see them.", "",
      "Exit codes: 0 done, 1 anything else, 2 bad usage, 3 the key does not allow it, 4 not found, 5 not now (unavailable,",
      "too much, too late), 6 the server found fault with the request or with some of the events.",
    ]
    return lines.joined(separator: "\n")
  }

  static func lines(_ flags: [Flag]) -> [String] {
    flags.flatMap { flag in
      let name = flag.placeholder.map { "--\(flag.rawValue) \($0)" } ?? "--\(flag.rawValue)"
      return ["  \(name)", "        \(flag.help)"]
    }
  }

  static func summaries(_ commands: some Sequence<any Command.Type>) -> [String] {
    commands.flatMap { ["  \(($0.words + $0.operands).joined(separator: " "))", "        \($0.summary)"] }
  }
}
