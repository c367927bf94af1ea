private import CUV
import Glibc

/// A call to libuv or the system that failed, and how.
///
/// The end of a connection is told apart by what is told: a FIN is `streamDidReachEnd`, never an error; a reset is the
/// error `isConnectionReset`.
package struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function, such as `bind`.
  package let call: String
  /// libuv's code: on Linux the negative of `errno`, such as -98.
  package let code: CInt

  package init(call: StaticString, code: CInt) {
    self.call = call.description
    self.code = code
  }

  /// The symbol of the code, such as `EADDRINUSE`.
  package var name: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      return String(cString: uv_err_name_r(code, start, buffer.count))
    }
  }

  /// Whether the peer has cut the connection off (RST), found while reading or while writing.
  package var isConnectionReset: Bool {
    code == UV_ECONNRESET.rawValue || code == UV_EPIPE.rawValue
  }

  package var description: String { "\(call): \(name)" }
}

/// Turns libuv's negative result codes into an error that names the call.
@discardableResult
func check(_ code: CInt, _ call: StaticString) throws(NetworkError) -> CInt {
  if code < 0 { throw NetworkError(call: call, code: code) }
  return code
}

/// Turns the -1 of a system call into an error made of `errno`.
@discardableResult
func checkSystem(_ result: CInt, _ call: StaticString) throws(NetworkError) -> CInt {
  if result < 0 { throw NetworkError(call: call, code: -errno) }
  return result
}
