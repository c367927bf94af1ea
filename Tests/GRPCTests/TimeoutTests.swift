import GRPC
import Testing

@Suite struct `A grpc-timeout` {
  // G-036
  @Test(
    arguments: [
      ("1H", 3_600_000), ("2M", 120_000), ("3S", 3_000), ("4m", 4), ("0S", 0), ("0n", 0), ("00000007m", 7),
      ("1u", 1), ("1000u", 1), ("1001u", 2), ("1n", 1), ("1000000n", 1), ("1000001n", 2),
      ("99999999H", 359_999_996_400_000), ("99999999n", 100), ("99999999u", 100_000),
    ] as [(String, UInt64)])
  func `is read as milliseconds, rounded up`(text: String, milliseconds: UInt64) {
    #expect(withBytes(text) { Timeout.milliseconds($0) } == milliseconds)
  }

  // G-037
  @Test(arguments: ["", "S", "1", "1s", "-1S", "+1S", "1.5S", "123456789S", " 1S", "1 S", "1S ", "1é", "0x1S", "1SS"])
  func `is refused where it is malformed`(text: String) {
    #expect(withBytes(text) { Timeout.milliseconds($0) } == nil)
  }
}
