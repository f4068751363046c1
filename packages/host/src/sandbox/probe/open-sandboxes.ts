import type { Sandboxes } from '../sandbox.ts'
import { type FoundSandbox, noSandboxFound } from './machine.ts'
import type { SandboxesOptions } from './search.ts'

/** Opens what can enforce limits on this machine. Nothing is loaded, read or started before the first call. */
export function openSandboxes(options: SandboxesOptions): Sandboxes {
  let current: Promise<FoundSandbox> | null = null
  let checking: Promise<FoundSandbox> | null = null
  const load = () => import('./search.ts')
  const find = () => {
    current ??= load()
      .then(({ search }) => search(options))
      .catch(noSandboxFound)
    return current
  }
  const report = async () => {
    const { enforcement, reason, sharesLoopback } = (await find()).finding
    return { enforcement, reason, ...(sharesLoopback === true ? { sharesLoopback } : {}) }
  }
  return {
    report,
    recheck() {
      if (checking === null) {
        const before = find()
        checking = load()
          .then(async ({ searchAgain }) => searchAgain(await before, options))
          .catch(noSandboxFound)
          .finally(() => {
            checking = null
          })
        current = checking
      }
      return report()
    },
    prepare: async (limits, loopback) => (await find()).prepare(limits, loopback),
    openLoopback: async (name) => (await find()).openLoopback(name),
  }
}
