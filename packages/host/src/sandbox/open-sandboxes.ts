import { type Found, nothingFound } from './found.ts'
import type { GuardSurroundings } from './guarded/find-guarded.ts'
import type { Sandboxes } from './sandboxes.ts'

export interface SandboxesOptions extends Pick<GuardSurroundings, 'own'> {
  /** Keeps what was found until the next boot, 0600; null keeps nothing. Its folders are made when it is written. */
  readonly cacheFile: string | null
  /** Of this process unless told: PATH, HOME and what container runtimes say in it are looked at. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Names the code: what another one found is not believed. The time of its own file unless told. */
  readonly build?: string
  /** Where programs are looked for, in place of the system's folders. */
  readonly programFolders?: readonly string[]
}

/** What can enforce limits on this machine. Nothing is loaded, read or started before the first question. */
export function openSandboxes(options: SandboxesOptions): Sandboxes {
  let current: Promise<Found> | null = null
  let checking: Promise<Found> | null = null
  const load = () => import('./probe/search.ts')
  const find = () => {
    current ??= load()
      .then(({ search }) => search(options))
      .catch(nothingFound)
    return current
  }
  const report = async () => {
    const { enforcement, reason } = (await find()).finding
    return { enforcement, reason }
  }
  return {
    report,
    recheck() {
      if (checking === null) {
        const before = find()
        checking = load()
          .then(async ({ searchAgain }) => searchAgain(await before, options))
          .catch(nothingFound)
          .finally(() => {
            checking = null
          })
        current = checking
      }
      return report()
    },
    prepare: async (limits) => (await find()).prepare(limits),
  }
}
