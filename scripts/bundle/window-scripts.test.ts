import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { expect, test } from 'vitest'
import { inkStartUp } from './ink-start-up.mjs'
import { root } from './places.mjs'
import { windowScripts } from './window-scripts.mjs'

/** Options without which Ink does not become a script. */
const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  jsx: 'automatic',
  logLevel: 'silent',
  define: { 'process.env.NODE_ENV': '"production"' },
} as const

test('a module of ours that the first frame takes is not in the rest of the program a second time', async () => {
  const entry = join(root, 'apps/tui/src/start-in-window.ts')
  const bundled = (name: string, options: BuildOptions) =>
    build({
      ...common,
      ...options,
      metafile: true,
      entryNames: name,
      conditions: ['@parley/source'],
      plugins: [...(options.plugins ?? []), inkStartUp()],
    })
  const { window, rest } = await windowScripts(entry, bundled)
  const [first, others] = [window, rest].map(modulesOf)
  expect(first).toContain('apps/tui/src/view/layout-screen.ts')
  expect(others).toContain('apps/tui/src/main.ts')
  expect(first?.filter((module) => others?.includes(module))).toEqual([])
  expect(first?.filter((module) => /node_modules\/(ink|react|zod|commander)\//.test(module))).toEqual([])
})

/** Lists the modules whose code is in a script. Files that only pass names on have none. */
function modulesOf({ metafile }: Awaited<ReturnType<typeof windowScripts>>['window']): string[] {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => !/^[<]|:/.test(path) && (inputs[path]?.bytesInOutput ?? 0) > 0),
  )
}
