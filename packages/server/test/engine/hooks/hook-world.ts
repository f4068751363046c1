import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent } from '@parley/protocol'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** Place whose user has hooks. */
export interface HookWorld extends TestPlace {
  /** Adds a hook that runs a shell script, with further lines of its section. */
  hook(on: HookEvent, script: string, more?: string): void
  /** Returns what hooks wrote into `seen`, line by line. */
  seen(): readonly unknown[]
}

/** Command of a hook that keeps its input as a line of `seen`. */
export const keep = `printf '%s\\n' "$(cat)" >> seen`

export function hookWorld(): HookWorld {
  const place = testPlace()
  let count = 0
  const config = join(place.root, '.parley', 'config.toml')
  return {
    ...place,
    hook(on, script, more = '') {
      count += 1
      const file = join(place.root, `hook-${count}.sh`)
      writeFileSync(file, script)
      const section = `[[hooks.${on}]]\n[[hooks.${on}.hooks]]\nname = "h${count}"\ncommand = ["sh", "${file}"]\n${more}\n`
      writeFileSync(config, `${readFileSync(config, 'utf8')}\n${section}`)
    },
    seen() {
      const file = join(place.cwd, 'seen')
      if (!existsSync(file)) return []
      const lines = readFileSync(file, 'utf8').trim().split('\n')
      return lines.map((line): unknown => JSON.parse(line))
    },
  }
}
