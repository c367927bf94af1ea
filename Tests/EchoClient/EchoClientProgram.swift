import GRPC
import GRPCTransport
import Glibc
import NetworkIO

/// Makes the calls that its standard input asks for, a line each, and says what came of each in a line of JSON. Ends with
/// its input. For tests of the client half against other servers.
@main
struct EchoClientProgram {
  static func main() async {
    do {
      let options = try EchoClientOptions(Array(CommandLine.arguments.dropFirst()))
      let loop = try EventLoop(name: "echo-client")
      await serve(options, on: loop)
      // The channel is gone by now: at the end of the process a leak of it would be seen.
      loop.stop()
      exit(0)
    } catch {
      let bytes = Array("grpc-echo-client: \(error)\n".utf8)
      write(STDERR_FILENO, bytes, bytes.count)
      exit(2)
    }
  }

  private static func serve(_ options: EchoClientOptions, on loop: EventLoop) async {
    let channel = ClientChannel(options.configuration(on: loop))
    print("ready")
    fflush(nil)
    while let line = readLine() {
      print(await Order(line)?.run(on: channel) ?? #"{"error": "not an order"}"#)
      fflush(nil)
    }
    await channel.shutdown(graceMilliseconds: 1_000)
  }
}
