import { readFile } from 'node:fs/promises'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readTree, runPatch } from './patch-run.ts'

const recordedCases = z.object({
  cases: z.array(
    z.object({
      name: z.string(),
      input: z.record(z.string(), z.string()),
      patch: z.string(),
      expected: z.record(z.string(), z.string()),
      exit: z.int(),
      stdout: z.string(),
      parley: z.string(),
    }),
  ),
})

const fixture = new URL('./fixtures/apply-patch.json', import.meta.url)
const { cases } = recordedCases.parse(JSON.parse(await readFile(fixture, 'utf8')))

/** Cases where parley differs from the recorded tool on purpose. */
const ours: Readonly<
  Record<string, { readonly ok: boolean; readonly files: Readonly<Record<string, string>> | null }>
> = {
  '010 move overwrites existing destination': { ok: false, files: null },
  '011 add overwrites existing file': { ok: false, files: null },
  '014 update appends trailing newline': { ok: true, files: { 'no_newline.txt': 'first line\nsecond line' } },
  '015 failure after partial success leaves changes': { ok: false, files: null },
}

describe('recorded cases of apply_patch', () => {
  it('lists every case that differs', () => {
    const differing = cases.filter(({ parley }) => parley.startsWith('ours')).map(({ name }) => name)
    expect(differing).toEqual(Object.keys(ours))
  })

  it.each(cases)('$name has the recorded result', async ({ name, input, patch, expected, exit, stdout }) => {
    await using workspace = await tempWorkspace({ files: input })
    const wanted = ours[name] ?? { ok: exit === 0, files: expected }
    const run = await runPatch(patch, workspace.path)
    expect(run.ok).toBe(wanted.ok)
    if (run.ok) expect(`${run.text}\n`).toBe(stdout)
    const tree = Object.entries(await readTree(workspace.path)).filter(([, content]) => content !== null)
    const bytes = Object.entries(wanted.files ?? input).map(([path, content]) => [
      path,
      Buffer.from(content).toString('latin1'),
    ])
    expect(Object.fromEntries(tree)).toEqual(Object.fromEntries(bytes))
  })
})
