/**
 * Creates a function that folds a list, and goes on where the last list ended if the new one begins with it: each request
 * repeats the one before, and only its end is new. `begin` makes a state, which `add` changes in place.
 */
export function foldGrowing<Item, State>(
  begin: () => State,
  add: (state: State, item: Item, items: readonly Item[]) => void,
): (items: readonly Item[]) => State {
  let folded: Item[] = []
  let state = begin()
  return (items) => {
    if (!folded.every((item, index) => item === items[index])) {
      folded = []
      state = begin()
    }
    for (const item of items.slice(folded.length)) {
      add(state, item, items)
      folded.push(item)
    }
    return state
  }
}
