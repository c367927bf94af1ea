import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC
import Testing

@testable import energykitctl

// getopt_long keeps its place in globals.
@Suite(.serialized) struct `The command line` {
  private static let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  private func prepare(_ line: String...) throws(UsageError) -> (command: any Command, given: Arguments) {
    try Program.prepare(try Words(["energykitctl"] + line))
  }

  @Test func `takes words and flags in any order`() throws {
    let words = try Words(["energykitctl", "--json", "guidance", "--action=reduce", "Home", "--", "--x"])
    #expect(words.words == ["guidance", "Home", "--x"])
    #expect(words.values == [.json: [""], .action: ["reduce"]])
  }

  static let commands: [([String], String)] = [
    (["venues"], "VenuesCommand"), (["venue", id], "VenueCommand"), (["venue", "--home", id], "VenueCommand"),
    (["venue", "list"], "VenueListCommand"), (["admin", "venue", "list"], "VenueListCommand"),
    (["admin", "client", "get", id], "ClientGetCommand"), (["client", "create", "hub"], "ClientCreateCommand"),
    (["venue", "access", "set", id, id, "denied"], "AccessSetCommand"),
    (["device", "delete", id, id, "car-1"], "DeviceDeleteCommand"), (["grid", "regions"], "RegionsCommand"),
    (["region", "37.77,-122.42"], "RegionCommand"), (["region", "94103"], "RegionCommand"),
    (["plan", "Home", "--duration", "2h", "--split"], "PlanCommand"), (["submit", "-"], "SubmitCommand"),
    (["client", "update", id, "--disable"], "ClientUpdateCommand"),
  ]

  @Test(arguments: commands) func `names a command`(words: [String], type: String) throws {
    let (command, _) = try Program.prepare(try Words(["energykitctl"] + words))
    #expect("\(Swift.type(of: command))" == type)
  }

  static let mistakes: [([String], String)] = [
    ([], "a command is needed"), (["frob"], "\"frob\" is no command"), (["client"], "there are \"client list\""),
    (["venues", "x"], "takes nothing"), (["guidance"], "takes VENUE"), (["venues", "--watch"], "does not belong to"),
    (["guidance", "Home", "--action", "stop"], "expected shift or reduce"), (["plan", "Home"], "--duration is needed"),
    (["plan", "Home", "--duration", "2 hours"], "expected a time like"), (["client", "get", "hub"], "expected a UUID"),
    (["venue"], "one of them"), (["venue", id, "--home", id], "one of them"), (["region", "here"], "degrees"),
    (["region", "1,nan"], "degrees"), (["client", "update", id], "needs something to change"),
    (["venue", "update", id], "needs something to change"), (["venue", "access", "list"], "--venue or --client"),
    (["client", "create", "x", "--entitlement", "root"], "expected base"),
    (["client", "update", id, "--entitlement", "base", "--no-entitlements"], "exclude each other"),
    (["client", "update", id, "--enable", "--disable"], "exclude each other"),
    (["guidance", "Home", "--watch", "--explain"], "exclude each other"),
    (["submit", "f", "--batch-size", "0"], "from 1 to 10000"),
    (["venue", "access", "set", id, id, "all"], "expected granted"),
  ]

  @Test(arguments: mistakes) func `is refused in a sentence`(words: [String], message: String) {
    do throws(UsageError) {
      _ = try Program.prepare(try Words(["energykitctl"] + words))
      Issue.record("it was taken")
    } catch {
      #expect(error.message.contains(message))
    }
  }

  @Test func `is refused where a flag is unknown, twice there or without its value`() {
    for line in [["--frob"], ["--json=yes"], ["--address"], ["--action", "shift", "--action", "shift"], ["-x"]] {
      #expect(throws: UsageError.self) { try Words(["energykitctl", "venues"] + line) }
    }
  }

  @Test func `every flag is of a command or of all, and in a help`() {
    let ofCommands = Commands.all.flatMap { $0.flags }
    #expect(Set(ofCommands + Flag.common) == Set(Flag.allCases))
    for command in Commands.all {
      #expect(command.flags.allSatisfy { command.helpText.contains("  --\($0.rawValue)") })
      #expect(Help.text.contains("  \((command.words + command.operands).joined(separator: " "))\n"))
    }
  }

  @Test func `every command and flag is in its page`() throws {
    let path = #filePath.replacing("Tests/energykitctlTests/CommandLineTests.swift", with: "docs/ctl.md")
    let page = try String(contentsOfFile: path, encoding: .utf8)
    for command in Commands.all { #expect(page.contains("`\(command.words.joined(separator: " "))")) }
    for flag in Flag.allCases { #expect(page.contains("`--\(flag.rawValue)")) }
  }

  static let durations: [(String, Int?)] = [
    ("2h", 7200), ("90m", 5400), ("1h30m", 5400), ("45s", 45), ("1d", 86_400), ("5400", 5400), ("", nil), ("0", nil),
    ("2", 2), ("h", nil), ("2h30", nil), ("-2h", nil), ("9999999999999999999h", nil), ("99999999h", nil), ("٢h", nil),
  ]

  @Test(arguments: durations) func `has durations`(text: String, seconds: Int?) {
    #expect(DurationText.seconds(text) == seconds)
  }

  static let codes: [(Problem, CInt)] = [
    (.usage(UsageError("")), 2), (.local(""), 1), (.notFound(""), 4), (.someRefused, 6), (.outputClosed, 0),
    (.call(CallFailure(code: .unauthenticated, message: "")), 3),
    (.call(CallFailure(code: .permissionDenied, message: "")), 3),
    (.call(CallFailure(code: .notFound, message: "")), 4),
    (.call(CallFailure(code: .unavailable, message: "")), 5),
    (.call(CallFailure(code: .deadlineExceeded, message: "")), 5),
    (.call(CallFailure(code: .resourceExhausted, message: "")), 5),
    (.call(CallFailure(code: .invalidArgument, message: "")), 6),
    (.call(CallFailure(code: .failedPrecondition, message: "")), 6),
    (.call(CallFailure(code: .unimplemented, message: "")), 1),
  ]

  @Test(arguments: codes) func `ends with a code for each kind of problem`(problem: Problem, code: CInt) {
    #expect(ExitCode.of(problem) == code)
  }

  @Test func `says reason, faults and delay of a refusal in one line`() {
    let failure = CallFailure(Status(.serviceUnavailable(retryAfterSeconds: 3)))
    #expect(failure.line.hasPrefix("SERVICE_UNAVAILABLE: "))
    #expect(failure.line.contains("retry in 3 s"))
    let faults = (0..<7).map {
      LoadEventFault(position: .loadEvent($0), field: "id", reason: .malformed, description: "is\nnot\u{1B}[31m")
    }
    let line = CallFailure(
      Status(.invalidLoadEvent(.init(faults: faults, faultCount: 7, serverTime: Timestamp(seconds: 0))))
    ).line
    #expect(line.contains("load_events[0].id") && line.contains("load_events[4].id") && line.contains("and 2 more"))
    #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(CallFailure(Status(.unimplemented, "no")).line == "UNIMPLEMENTED: no")
  }
}
