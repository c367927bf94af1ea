import GRPC
import NetworkIO

extension EventLoop: CallExecutor {}
