import GRPC
import GRPCTransport
import TestServer

@main
struct EchoProgram {
  static func main() async {
    let counters = EchoCounters()
    let hub = EchoHub()
    await ServerProgram("grpc-echo-server") { executor in
      let broadcast = LoopBroadcast(on: executor)
      hub.add(broadcast, on: executor)
      return EchoService(counters: counters, broadcast: broadcast, hub: hub).methods
    }.run()
  }
}
