/// When to run a load so that it uses the best electricity there is (docs/rating.md, Planning).
package struct LoadPlan: Hashable, Sendable {
  /// Ascending, apart from each other, together as long as was asked for.
  package let intervals: [Interval]
  /// Time-weighted.
  package let meanRating: Rating
  /// Of the same load begun when the window opens; `nil` where guidance does not cover that.
  package let immediateMeanRating: Rating?
  /// Whether guidance covers the whole window, from now on.
  package let coversWindow: Bool

  package init(intervals: [Interval], meanRating: Rating, immediateMeanRating: Rating?, coversWindow: Bool) {
    self.intervals = intervals
    self.meanRating = meanRating
    self.immediateMeanRating = immediateMeanRating
    self.coversWindow = coversWindow
  }
}
