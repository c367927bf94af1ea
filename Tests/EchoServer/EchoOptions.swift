import GRPCTransport

/// `grpc-echo-server [--listen ADDR]... [--unix-socket-mode MODE] [--loops N] [--drain-seconds S]`
struct EchoOptions {
  var listeners: [GRPCServer.Configuration.Listener] = []
  var loopCount = 2
  var drainSeconds: UInt64 = 10

  /// `nil` where the arguments are wrong.
  init?(_ arguments: [String]) {
    var texts: [String] = []
    var fileMode: UInt32 = 0o660
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch flag {
      case "--listen": texts.append(value)
      case "--unix-socket-mode":
        guard let mode = UInt32(value, radix: 8), mode <= 0o777 else { return nil }
        fileMode = mode
      case "--loops":
        guard let count = Int(value), (1...64).contains(count) else { return nil }
        loopCount = count
      case "--drain-seconds":
        guard let seconds = UInt64(value), seconds <= 3_600 else { return nil }
        drainSeconds = seconds
      case _: return nil
      }
    }
    for text in texts.isEmpty ? ["127.0.0.1:0"] : texts {
      guard let listen = ListenAddress(text) else { return nil }
      listeners.append(.init(address: listen.address, allowsAdmin: listen.saysAdmin, fileMode: fileMode))
    }
  }
}
