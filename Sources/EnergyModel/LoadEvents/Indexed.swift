/// An event and its place in the list of the request that it came in, from 0.
package struct Indexed<Event: Hashable & Sendable>: Hashable, Sendable {
  package let index: Int
  package let event: Event

  package init(index: Int, event: Event) {
    self.index = index
    self.event = event
  }
}

// The same for the one type that is made by the thousand: another module gets no specialised copy of the generic form.
extension Indexed where Event == LoadEvent {
  package init(index: Int, event: LoadEvent) {
    self.index = index
    self.event = event
  }
}
