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

/** Creates the same for several lists in turn, which are told apart by their first item. */
export function foldGrowingLists<Item extends object, State>(
  begin: () => State,
  add: (state: State, item: Item, items: readonly Item[]) => void,
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
