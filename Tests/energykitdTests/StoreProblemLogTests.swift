import Diagnostics
import Glibc
import Locking
import Storage
import Testing

@testable import energykitd

@Suite struct `The log of the store's problems` {
  /// The log's lines without their times, after reports at these seconds.
  private func lines(
    _ seconds: [Double], _ error: StoreError = .closed,
    by report: (StoreProblemLog) -> (StoreError) -> Void = { $0.report }
  ) throws -> [String] {
    let stream = try #require(tmpfile())
    defer { fclose(stream) }
    let start = ContinuousClock.now
    let passed = Lock(0.0)
    let pace = ProblemPace { start.advanced(by: .milliseconds(Int64(passed.withLock { $0 } * 1_000))) }
    let problems = StoreProblemLog(Log(descriptor: fileno(stream)), pace: pace)
    for second in seconds {
      passed.withLock { $0 = second }
      report(problems)(error)
    }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(fileno(stream), 0, SEEK_END)))
    pread(fileno(stream), &bytes, bytes.count, 0)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    }
  }

  @Test func `says the first at once, with its reason`() throws {
    let line = try #require(try lines([0], .failed(operation: "write", reason: "disk full")).first)
    #expect(line.hasPrefix("error load events could not be stored error="))
    #expect(line.contains("disk full"))
    #expect(line.hasSuffix(" batches=1"))
  }

  @Test func `tells a store that is busy from one that has failed`() throws {
    let stream = try #require(tmpfile())
    defer { fclose(stream) }
    let problems = StoreProblemLog(Log(descriptor: fileno(stream)))
    for error in [StoreError.busy, .busy, .closed, .busy] { problems.report(error) }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(fileno(stream), 0, SEEK_END)))
    pread(fileno(stream), &bytes, bytes.count, 0)
    let levels = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ")[1] }
    #expect(levels == ["warning", "error"])
  }

  @Test func `tells failures of events from others`() throws {
    let error = StoreError.failed(operation: "read", reason: "malformed")
    let said = try lines([0, 0.1, 1.5], error) { $0.reportOther }
    #expect(said.count == 2 && said.allSatisfy { $0.hasPrefix("error the store has failed error=") })
  }

  @Test(
    arguments: [
      ([0, 0, 0.5, 0.999], [1]), ([0, 0.2, 0.4, 1], [1, 3]), ([0, 0.5, 1.2, 1.5, 2.3], [1, 2, 2]), ([0, 60], [1, 1]),
    ] as [([Double], [Int])])
  func `says the others once a second, with how many there were`(seconds: [Double], counts: [Int]) throws {
    #expect(try lines(seconds).map { $0.split(separator: "=").last.map(String.init) } == counts.map(String.init))
  }
}
