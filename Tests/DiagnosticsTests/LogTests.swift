import Diagnostics
import Glibc
import Testing

/// Gives `body` a log and returns what it has written.
private func written(
  level: Log.Level = .debug, _ format: Log.Format = .text, at time: Int64 = 0,
  _ body: (Log) async -> Void
) async -> String {
  let stream = tmpfile()
  defer { if let stream { fclose(stream) } }
  let file = stream.map { fileno($0) } ?? -1
  await body(Log(level: level, format: format, descriptor: file, now: { time }))
  var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
  pread(file, &bytes, bytes.count, 0)
  return String(decoding: bytes, as: UTF8.self)
}

private let stamp = "1970-01-01T00:00:00.000Z"

@Suite struct `A log` {
  @Test func `writes the time, the level, the message and the fields`() async {
    let time = 1_709_251_199_007 as Int64
    let text = await written(at: time) { $0.notice("listening", ["address": "[::1]:50051", "loops": 2, "tls": false]) }
    #expect(text == "2024-02-29T23:59:59.007Z notice listening address=[::1]:50051 loops=2 tls=false\n")
    let json = await written(.json, at: time) { $0.error("broken", ["share": 0.5, "count": LogValue(UInt8.max)]) }
    #expect(
      json
        == #"{"time":"2024-02-29T23:59:59.007Z","level":"error","message":"broken","share":0.5,"count":255}"# + "\n")
  }

  @Test(arguments: [
    ("", #""""#, #""""#),
    ("plain", "plain", #""plain""#),
    ("two words", #""two words""#, #""two words""#),
    ("a=b", #""a=b""#, #""a=b""#),
    (#"say "hi""#, #""say \"hi\"""#, #""say \"hi\"""#),
    (#"C:\dir"#, #""C:\\dir""#, #""C:\\dir""#),
    ("one\ntwo\r\tthree", #""one\ntwo\r\tthree""#, #""one\ntwo\r\tthree""#),
    ("\u{1b}[31mred\u{7f}\u{0}", #""\u001b[31mred\u007f\u0000""#, #""\u001b[31mred\u007f\u0000""#),
    ("\u{9b}2J\u{85}", #""\u009b2J\u0085""#, #""\u009b2J\u0085""#),
    ("\u{2028}\u{2029}", #""\u2028\u2029""#, #""\u2028\u2029""#),
    ("\u{202E}gpj", #""\u202egpj""#, #""\u202egpj""#),
    ("\u{E0041}", #""\udb40\udc41""#, #""\udb40\udc41""#),
    ("Grüße, 東京 🔌", #""Grüße, 東京 🔌""#, #""Grüße, 東京 🔌""#),
  ])
  func `escapes what could break a line`(value: String, text: String, json: String) async {
    let asText = await written { $0.info("told", ["value": LogValue(value)]) }
    #expect(asText == "\(stamp) info told value=\(text)\n")
    let asJSON = await written(.json) { $0.info("told", ["value": LogValue(value)]) }
    #expect(asJSON == #"{"time":"\#(stamp)","level":"info","message":"told","value":\#(json)}"# + "\n")
  }

  @Test(arguments: [(Double.infinity, "inf"), (-.infinity, "-inf"), (.nan, "nan")])
  func `writes numbers that JSON lacks as text`(number: Double, text: String) async {
    let json = await written(.json) { $0.info("told", ["value": LogValue(number)]) }
    #expect(json.hasSuffix(#""value":"\#(text)"}"# + "\n"))
  }

  @Test func `keeps its own names to itself`() async {
    let json = await written(.json) { $0.info("told", ["level": "x", "time": "y", "message": "z"]) }
    #expect(json.hasSuffix(#""message":"told","level_":"x","time_":"y","message_":"z"}"# + "\n"))
  }

  @Test func `cuts long values between characters`() async {
    let text = await written { $0.info("told", ["value": LogValue(String(repeating: "é", count: 5_000))]) }
    #expect(text == "\(stamp) info told value=\"" + String(repeating: "é", count: 512) + "…\"\n")
  }

  @Test func `writes nothing below its level, which may change`() async {
    let text = await written(level: .warning) { log in
      log.notice("no")
      log.warning("yes")
      log.level = .debug
      log.debug("now")
      log.level = .error
      log.warning("no")
    }
    #expect(text == "\(stamp) warning yes\n\(stamp) debug now\n")
  }

  @Test func `does not compute the fields of what it does not write`() async {
    var isComputed = false
    func costly() -> LogValue {
      isComputed = true
      return 1
    }
    _ = await written(level: .info) { $0.debug("no", ["value": costly()]) }
    #expect(!isComputed)
  }

  @Test func `keeps lines of eight tasks whole`() async {
    let text = await written { log in
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask { for _ in 0..<200 { log.info("told", ["task": LogValue(task), "more": "a b c"]) } }
        }
      }
    }
    let lines = text.split(separator: "\n")
    #expect(lines.count == 1_600)
    #expect(lines.allSatisfy { $0.hasPrefix("\(stamp) info told task=") && $0.hasSuffix(#" more="a b c""#) })
  }

  @Test(arguments: Log.Level.allCases)
  func `level has a name that reads back`(level: Log.Level) {
    #expect(Log.Level(level.name) == level)
    #expect(Log.Level(level.name.uppercased()) == nil)
  }
}
