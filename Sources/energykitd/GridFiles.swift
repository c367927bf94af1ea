import GridData

/// `--grid`: files of grid signals, each with its manifest beside it (`FILE.json`).
enum GridFiles {
  /// The files before the recording; `nil` without either.
  static func source(
    _ paths: [String], beside recording: RecordedSource?
  ) throws(StartError) -> (any GridDataSource)? {
    guard !paths.isEmpty else { return recording }
    var files: [SignalFile] = []
    for path in paths {
      do throws(GridDataError) {
        files.append(try SignalFile(path: path))
      } catch {
        throw StartError("--grid: \(error)")
      }
    }
    let source = FileSource(files)
    guard let recording else { return source }
    return LayeredSource([source, recording])
  }
}
