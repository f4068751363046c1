/**
 * Creates a function that folds a list, and goes on from the last list where the new one begins with it: each request
 * repeats the one before. `add` changes the state of `begin` in place.
 */
export function foldGrowing<Item, State>(
  begin: () => State,
  add: (state: State, item: Item) => void,
): (items: readonly Item[]) => State {
  let folded: Item[] = []
  let state = begin()
  return (items) => {
    if (!folded.every((item, index) => item === items[index])) {
      folded = []
      state = begin()
    }
    for (const item of items.slice(folded.length)) {
      add(state, item)
      folded.push(item)
    }
    return state
  }
}

/** Creates a function that does the same for several lists in turn, known by their first item. */
export function foldGrowingLists<Item extends object, State>(
  begin: () => State,
  add: (state: State, item: Item) => void,
): (items: readonly Item[]) => State {
  const folds = new WeakMap<Item, (items: readonly Item[]) => State>()
  return (items) => {
    const [first] = items
    if (first === undefined) return begin()
    const fold = folds.get(first) ?? foldGrowing(begin, add)
    folds.set(first, fold)
    return fold(items)
  }
}
