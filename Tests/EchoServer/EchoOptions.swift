import NetworkIO

/// `grpc-echo-server [--listen ADDR] [--loops N] [--drain-seconds S]`
struct EchoOptions {
  var address = "127.0.0.1:0"
  var loopCount = 2
  var drainSeconds: UInt64 = 10

  /// `nil` where the arguments are wrong.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch flag {
      case "--listen": address = value
      case "--loops":
        guard let count = Int(value), (1...64).contains(count) else { return nil }
        loopCount = count
      case "--drain-seconds":
        guard let seconds = UInt64(value), seconds <= 3_600 else { return nil }
        drainSeconds = seconds
      case _: return nil
      }
    }
  }
}
