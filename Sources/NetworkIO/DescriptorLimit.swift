import Glibc

/// How many descriptors the process may have open, RLIMIT_NOFILE.
package enum DescriptorLimit {
  /// The limit as it is now; the largest number where there is none.
  package static var current: Int {
    Int(clamping: values.rlim_cur)
  }

  /// Raises the limit to what the system allows this process, as far as that goes.
  package static func raise() {
    var limit = values
    guard limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static var values: rlimit {
    var limit = rlimit()
    let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    precondition(code == 0, "getrlimit failed with \(errno)")
    return limit
  }
}
