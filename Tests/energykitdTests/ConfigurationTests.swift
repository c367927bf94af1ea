import GRPC
import GRPCTransport
import NetworkIO
import Testing

@testable import energykitd

// One at a time: getopt_long keeps its place in globals.
@Suite(.serialized) struct `The configuration` {
  private func configuration(
    _ arguments: [String], environment: [String: String] = [:], files: [String: String] = [:]
  ) throws(UsageError) -> Configuration {
    let values = try SettingValues(
      arguments: ["energykitd"] + arguments, environment: environment, readFile: { files[$0] })
    return try Configuration(values, coreCount: 2)
  }

  @Test func `has a default for everything but where to keep data`() throws {
    let plain = try configuration(["--data", "d"])
    #expect(plain.listeners.map(\.address.description) == ["127.0.0.1:50051"])
    #expect(plain.listeners.map(\.allowsAdmin) == [true])
    #expect(plain.store == .directory("d"))
    #expect(plain.adminKeyFile == "d/admin.key")
    #expect(plain.loopCount == 2)
    #expect(plain.guidanceMinIntervalSeconds == 300)
    #expect(plain.drainSeconds == 10)
    #expect(!plain.isDemo)
  }

  // G-133
  @Test func `takes origins of pages and refuses what is none`() throws {
    #expect(try configuration(["--data=d"]).connections.policy.webOrigins.isEmpty)
    let two = try configuration(["--data=d", "--web-origin=https://a.example", "--web-origin", "http://localhost:8080"])
    #expect(two.connections.policy.webOrigins.allow("http://localhost:8080".utf8))
    #expect(throws: UsageError.self) { try configuration(["--data=d", "--web-origin=a.example"]) }
  }

  @Test func `takes listeners in the order given`() throws {
    let two = try configuration(["--data=d", "--listen", "0.0.0.0:1", "--listen=admin+[::]:2"])
    #expect(two.listeners.map(\.address.description) == ["0.0.0.0:1", "[::]:2"])
    #expect(two.listeners.map(\.allowsAdmin) == [false, true])
  }

  @Test func `has connections live as long as they like, unless told otherwise`() throws {
    let plain = try configuration(["--data=d"]).connections
    #expect(plain.policy == ConnectionPolicy() && plain.limits == CallLimits())
    let set = try configuration([
      "--data=d", "--max-connection-age=600", "--max-connection-age-grace=5", "--max-connection-idle=300",
      "--keepalive-time=60", "--keepalive-timeout=7", "--min-ping-interval=4", "--max-connections=99",
      "--max-connections-per-address=9",
    ]).connections
    #expect(set.policy.maximumAge == 600_000 && set.policy.maximumAgeGrace == 5_000)
    #expect(set.policy.maximumIdle == 300_000)
    #expect(set.policy.keepaliveTime == 60_000 && set.policy.keepaliveTimeout == 7_000)
    #expect(set.policy.pingInterval == 4_000 && set.policy.pingIntervalInCalls == 4_000)
    #expect(set.limits.connections == 99 && set.policy.connectionsPerAddress == 9)
  }

  @Test(arguments: [
    "--max-connection-age-grace=5", "--keepalive-time=0", "--max-connections=0", "--max-connection-age=-1",
    "--max-connection-idle=1h",
  ])
  func `refuses times and numbers that make no sense`(flag: String) {
    #expect(throws: UsageError.self) { try configuration(["--data=d", flag]) }
  }

  @Test func `serves AdminService on what only this machine can reach`() throws {
    let texts = ["127.0.0.1:1", "[::1]:1", "unix:/a", "0.0.0.0:1", "admin+0.0.0.0:2", "[2001:db8::1]:1"]
    let all = try configuration(["--data=d"] + texts.map { "--listen=\($0)" })
    #expect(all.listeners.map(\.allowsAdmin) == [true, true, true, false, true, false])
  }

  @Test func `reads what secures a listener`() throws {
    let files = ["--tls-cert=c", "--tls-key=k", "--tls-client-ca=a"]
    let listens = ["127.0.0.1:1", "tls+[::1]:1", "mtls+unix:/a", "admin+tls+0.0.0.0:1"].map { "--listen=\($0)" }
    let all = try configuration(["--data=d"] + files + listens)
    #expect(all.listeners.map(\.security) == [.clear, .tls, .mutualTLS, .tls])
    #expect(all.listeners.map(\.address.description) == ["127.0.0.1:1", "[::1]:1", "unix:/a", "0.0.0.0:1"])
    #expect(all.listeners.map(\.allowsAdmin) == [true, true, true, true])
    #expect(all.tlsFiles == .init(certificate: "c", key: "k", clientAuthority: "a"))
    #expect(try configuration(["--data=d"]).tlsFiles == nil)
  }

  @Test func `reads the permissions of unix sockets in octal`() throws {
    #expect(try configuration(["--data=d"]).listeners.map(\.fileMode) == [0o660])
    #expect(try configuration(["--data=d", "--unix-socket-mode", "0600"]).listeners.map(\.fileMode) == [0o600])
  }

  @Test func `prefers the command line to the environment and that to the file`() throws {
    let files = [
      "f": "data = file # a comment\nloops = 3\ndrain-seconds = 7\nlisten = 127.0.0.1:1\nlisten = 127.0.0.1:2\n"
    ]
    let environment = ["ENERGYKIT_LOOPS": "4", "ENERGYKIT_CONFIG": "f", "ENERGYKIT_DRAIN_SECONDS": "8"]
    let mixed = try configuration(["--loops", "5"], environment: environment, files: files)
    #expect(mixed.store == .directory("file"))
    #expect(mixed.loopCount == 5)
    #expect(mixed.drainSeconds == 8)
    #expect(mixed.listeners.count == 2)
  }

  @Test(arguments: [
    ([], "nowhere to keep data"),
    (["--data"], "needs a value"),
    (["--data", "a", "--data", "b"], "given twice"),
    (["--dta", "a"], "no such flag"),
    (["--demo=yes", "--data", "a"], "a value where none is taken"),
    (["serve"], "unexpected argument"),
    (["--data", "a", "serve"], "unexpected argument"),
    (["--data", "a", "--listen", "localhost:1"], "--listen localhost:1"),
    (["--data", "a", "--listen", "127.0.0.1"], "--listen 127.0.0.1"),
    (["--data", "a", "--listen", "127.0.0.1:65536"], "--listen"),
    (["--data", "a", "--listen", "tls+127.0.0.1:1"], "TLS needs --tls-cert and --tls-key"),
    (["--data", "a", "--listen", "tls+127.0.0.1:1", "--tls-cert", "c"], "TLS needs --tls-cert and --tls-key"),
    (["--data", "a", "--listen=mtls+[::1]:1", "--tls-cert=c", "--tls-key=k"], "--listen mtls+[::1]:1: needs"),
    (["--data", "a", "--tls-cert=c", "--tls-key=k"], "no --listen begins with tls+"),
    (["--data", "a", "--tls-client-ca=c"], "--tls-client-ca is given"),
    (["--data", "a", "--listen", "tls+admin+127.0.0.1:1"], "--listen tls+admin+"),
    (["--data", "a", "--listen", "tls+mtls+127.0.0.1:1"], "--listen tls+mtls+"),
    (["--data", "a", "--listen", "unix:relative"], "--listen unix:relative"),
    (["--data", "a", "--listen", "unix:/" + String(repeating: "x", count: 107)], "--listen unix:"),
    (["--data", "a", "--unix-socket-mode", "888"], "--unix-socket-mode"),
    (["--data", "a", "--unix-socket-mode", "1777"], "--unix-socket-mode"),
    (["--data", "a", "--loops", "0"], "--loops"),
    (["--data", "a", "--loops", "two"], "--loops"),
    (["--data", "a", "--log-level", "loud"], "--log-level"),
    (["--data", "a", "--clock-offset", "5"], "only for --demo"),
    (["--store", "memory:", "--demo"], "--demo needs --data"),
    (["--store", "postgres://x"], "--store postgres://x"),
    (["--config", "missing"], "cannot be read"),
  ])
  func `refuses bad usage in one line that says what`(arguments: [String], part: String) {
    do throws(UsageError) {
      _ = try configuration(arguments)
      Issue.record("accepted")
    } catch {
      #expect(error.message.contains(part), "\(error.message)")
      #expect(!error.message.contains("\n"))
    }
  }

  @Test(arguments: [
    ("data a", "f:1"), ("\nloops = 1\nloops = 2", "f:3"), ("colour = red", "unknown setting"),
    ("help = yes", "unknown"),
  ])
  func `names the line of a file that it does not understand`(text: String, part: String) {
    do throws(UsageError) {
      _ = try configuration(["--config", "f", "--data", "d"], files: ["f": text])
      Issue.record("accepted")
    } catch {
      #expect(error.message.contains(part), "\(error.message)")
    }
  }

  @Test func `lists every setting in the help`() {
    for setting in Setting.allCases { #expect(Setting.helpText.contains("--\(setting.rawValue)")) }
  }
}
