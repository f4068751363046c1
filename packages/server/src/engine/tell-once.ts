import { StorageError } from '@parley/journal'
/** Passes faults on, but the same storage failure once: a log that is lost throws it at everyone who comes to it. */
export function tellOnce(tell: (fault: unknown) => void): (fault: unknown) => void {
  const told = new WeakSet<StorageError>()
  return (fault) => {
    if (fault instanceof StorageError) {
      if (told.has(fault)) return
      told.add(fault)
    }
    tell(fault)
  }
}
