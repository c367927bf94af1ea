/// An event and its place in the list of the request that it came in, from 0.
package struct Indexed<Event: Hashable & Sendable>: Hashable, Sendable {
  package let index: Int
  package let event: Event

  package init(index: Int, event: Event) {
    self.index = index
    self.event = event
  }
}
