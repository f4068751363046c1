import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// What a server found out about this machine is true for the next one too; hundreds of homes would each find out anew.
const root = fileURLToPath(new URL('../../../node_modules/.cache/parley-tests', import.meta.url))
const sharedBy = (program: Program) => join(root, `sandbox-${process.getuid?.() ?? 0}-${program}.json`)
const inHome = (parleyHome: string) => join(parleyHome, 'cache', 'sandbox.json')

/** Programs that believe each other: those that were built, and those that tests run from their sources. */
export type Program = 'built' | 'sources'

/** Gives a new home what is known. A server believes it only if it is of this boot and this build; sources have one name for all their states. */
export function lendSandbox(parleyHome: string, program: Program = 'built'): void {
  try {
    mkdirSync(dirname(inHome(parleyHome)), { mode: 0o700 })
    copyFileSync(sharedBy(program), inHome(parleyHome))
  } catch {
    // Nothing is known yet.
  }
}

/** Keeps what a home's server found out. */
export function keepSandbox(parleyHome: string, program: Program = 'built'): void {
  try {
    const shared = sharedBy(program)
    const written = `${shared}.${randomUUID()}`
    mkdirSync(root, { recursive: true })
    copyFileSync(inHome(parleyHome), written)
    renameSync(written, shared)
  } catch {
    // It found nothing, or this folder is somebody else's.
  }
}
