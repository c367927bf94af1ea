import Glibc

/// What the kernel says of this process.
struct ProcessFigures {
  let residentByteCount: UInt64
  let descriptorCount: UInt64
  let cpuSeconds: Double

  init() {
    let pages = Self.firstLine(of: "/proc/self/statm").split(separator: " ")
    residentByteCount = (pages.count > 1 ? UInt64(pages[1]) ?? 0 : 0) * UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
    descriptorCount = Self.entryCount(of: "/proc/self/fd")
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  private static func firstLine(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return "" }
    return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Without `.`, `..` and the descriptor that reads them.
  private static func entryCount(of path: String) -> UInt64 {
    guard let directory = opendir(path) else { return 0 }
    defer { closedir(directory) }
    var count: UInt64 = 0
    while readdir(directory) != nil { count += 1 }
    return count > 3 ? count - 3 : 0
  }
}
